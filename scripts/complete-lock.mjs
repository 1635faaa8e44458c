// Completes package-lock.json after "npm install". If a registry lacks the builds of a package for
// other platforms, npm omits them from the lock, and "npm ci" then rejects it. The missing entries
// can be made from the name of the package and the version that its parent requires.
//
//   node scripts/complete-lock.mjs
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm", "arm64", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const LIBRARIES = { gnu: "glibc", gnueabihf: "glibc", musl: "musl" };

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "package-lock.json");
const lock = JSON.parse(fs.readFileSync(file, "utf8"));

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    lock.packages[`node_modules/${name}`] ??= platformEntry(name, version, parent.dev);
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
lock.packages = Object.fromEntries(sorted);
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);

/** "@rolldown/binding-linux-arm64-musl" is for Linux on arm64 with musl. */
function platformEntry(name, version, dev) {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => SYSTEMS.includes(word));
  const cpu = words.filter((word) => PROCESSORS.includes(word));
  const libc = words.flatMap((word) => LIBRARIES[word] ?? []);
  if (cpu.length !== 1) throw new Error(`${name} is not named after a platform: add it by hand`);
  return {
    version,
    cpu,
    ...(dev ? { dev } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}
