// Makes a checkout runnable: installs the dependencies of the lock file and bundles the sources,
// each only if something changed. Needs Node and npm; prints nothing if there is nothing to do. It
// bundles because Node takes longer to load 300 small files than the server takes to start.
//
//   node scripts/setup.mjs          dependencies and dist
//   node scripts/setup.mjs bench    dist-bench as well
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const inRoot = (...parts) => path.join(root, ...parts);

/**
 * Code that nearly every command needs goes into one file: each further file adds a millisecond to
 * the start.
 */
const SHARED = /\/src\/(api|base|ledger|runs\/(list|compose))\//;
/** Except modules that load packages which few commands need. */
const APART = /yaml|protobuf|\/schema\/body|\/run-manifest/;

/** Every command loads it: as part of the bundle, loading takes half the time. */
const BUNDLED = ["commander"];

/** Commander would load child_process for subcommands that are separate programs. We have none. */
const LEAN = {
  name: "lean",
  resolveId: (source, importer) =>
    source === "node:child_process" && importer?.includes("/commander/") ? "\0nothing" : undefined,
  load: (id) => (id === "\0nothing" ? "export {};" : undefined),
};

const BINARY = "main.js";
/**
 * Node raises its soft limit of open files before our code runs, but tasks must get the original
 * limit. So a shell records the limit with its pid and then becomes Node. Node parses the second
 * line as a string and a comment.
 */
const LAUNCHER = ["#!/bin/sh", `":" //# ; TALLY_LAUNCH="$$ $(ulimit -S -n)" exec node "$0" "$@"`];

const NATIVE = [
  {
    source: "src/agent/spawner/native/confine.c",
    missing: "there will be no sandboxes (docs/sandbox.md)",
  },
  {
    source: "src/agent/spawner/native/slot.c",
    missing: "shells will start processes, which takes longer (docs/agent.md)",
  },
];

requireNode();
installDependencies();
const isFresh = await bundle({
  parts: [
    // CommonJS, because V8's compiled code can be cached for it.
    { inputs: { main: "src/main.ts" }, format: "cjs", names: "program/[name].cjs" },
    // Separate processes that must stay small: they load nothing of the server.
    {
      inputs: {
        main: "src/launch.ts",
        spawner: "src/agent/spawner/main.ts",
        streams: "src/agent/streams/child/main.ts",
        forwarder: "src/proxy/main.ts",
        yaml: "src/server/http/yaml/main.ts",
      },
      format: "esm",
      names: "[name].js",
    },
  ],
  output: "dist",
  sources: ["src"],
});
if (isFresh) await runOnce();
if (process.argv.includes("bench")) {
  const sources = ["src", "bench", "test/support", "test/cluster"];
  const inputs = { main: "bench/main.ts" };
  const parts = [{ inputs, format: "esm", names: "[name].js" }];
  await bundle({ parts, output: "dist-bench", sources });
}

function requireNode() {
  const { engines } = JSON.parse(fs.readFileSync(inRoot("package.json"), "utf8"));
  const needed = engines.node.replace(">=", "").split(".").map(Number);
  const present = process.versions.node.split(".").map(Number);
  const isEnough = present[0] > needed[0] || (present[0] === needed[0] && present[1] >= needed[1]);
  if (isEnough) return;
  fail(`Tally needs Node ${needed.join(".")} or newer, and this is ${process.version}.`);
}

function installDependencies() {
  const stamp = inRoot("node_modules", ".tally-lock-hash");
  const lock = fs.readFileSync(inRoot("package-lock.json"));
  const wanted = hashOf([lock]);
  if (readIfPresent(stamp) === wanted) return;
  if (!isInstalled(JSON.parse(lock.toString()))) {
    say("installing dependencies (npm ci)");
    // Uses the npm that runs this script, if any: another one may have another version.
    const own = process.env.npm_execpath?.endsWith("npm-cli.js") && process.env.npm_execpath;
    const [command, ...args] = own ? [process.execPath, own] : ["npm"];
    run(command, [...args, "ci", "--no-audit", "--no-fund"]);
  }
  fs.writeFileSync(stamp, wanted);
}

/** npm records what it installed, so "npm ci" need not be repeated if a user ran it by hand. */
function isInstalled(lock) {
  const note = readIfPresent(inRoot("node_modules", ".package-lock.json"));
  if (note === undefined) return false;
  const installed = JSON.parse(note).packages;
  return Object.entries(lock.packages).every(([name, { version, optional }]) => {
    const present = installed[name];
    return name === "" || (present ? present.version === version : optional === true);
  });
}

/** Returns whether there was anything to do. */
async function bundle({ parts, output, sources }) {
  const stamp = inRoot(output, ".source-hash");
  const wanted = sourceHash(["scripts/setup.mjs", "package-lock.json"], sources);
  if (readIfPresent(stamp) === wanted) return false;
  const entries = parts.flatMap(({ inputs }) => Object.values(inputs));
  say(`bundling ${entries.join(", ")} into ${output}`);
  // Written to another folder and then swapped in: no output of deleted sources stays, and no
  // incomplete bundle is ever visible.
  const fresh = inRoot(".cache", `${output}-${process.pid}`);
  fs.rmSync(fresh, { recursive: true, force: true });
  try {
    for (const part of parts) await writePart(part, fresh);
    const binary = path.join(fresh, BINARY);
    if (output === "dist") fs.writeFileSync(binary, launched(fs.readFileSync(binary, "utf8")));
    if (output === "dist") fs.chmodSync(binary, 0o755);
    if (output === "dist") for (const each of NATIVE) compileNative(each, fresh);
    fs.writeFileSync(path.join(fresh, ".source-hash"), wanted);
    fs.rmSync(inRoot(output), { recursive: true, force: true });
    fs.renameSync(fresh, inRoot(output));
    return true;
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * Compiles the programs in C: the helper of sandboxes, and slots. Without a compiler they are
 * omitted.
 */
function compileNative({ source, missing }, folder) {
  if (process.platform !== "linux") return;
  const output = path.join(folder, path.basename(source, ".c"));
  const alone = ["-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-s", "-Os"];
  for (const compiler of ["cc", "gcc", "clang"]) {
    const args = [...alone, "-o", output, inRoot(source)];
    if (spawnSync(compiler, args, { stdio: "ignore" }).status === 0) return;
  }
  fs.rmSync(output, { force: true });
  say(`no C compiler was found: ${missing}`);
}

/** Replaces the first line of the binary by the shell launcher. */
function launched(text) {
  const [first, ...rest] = text.split("\n");
  if (!first.startsWith("#!")) fail(`${BINARY} does not start with a #! line`);
  return [...LAUNCHER, ...rest].join("\n");
}

async function writePart({ inputs, format, names }, dir) {
  // Imported here, because the package does not exist before the installation.
  const { rolldown } = await import("rolldown");
  const { dependencies, optionalDependencies } = JSON.parse(
    fs.readFileSync(inRoot("package.json"), "utf8"),
  );
  const external = Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !BUNDLED.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`));
  const entries = Object.entries(inputs).map(([name, file]) => [name, inRoot(file)]);
  const input = Object.fromEntries(entries);
  const test = (id) => SHARED.test(id) && !APART.test(id);
  // Only for a single program: small programs that share code each need little of it.
  const groups = entries.length === 1 ? [{ name: "core", test }] : [];
  const codeSplitting = { groups };
  const made = await rolldown({ input, platform: "node", external, cwd: root, plugins: [LEAN] });
  const files = { dir, entryFileNames: names, chunkFileNames: names };
  // V8's cached code does not support import().
  await made.write({ ...files, format, codeSplitting, dynamicImportInCjs: false });
  await made.close();
}

/**
 * Runs the bundle once, so that V8's compiled code is cached next to it. Otherwise the first run is
 * slow.
 */
async function runOnce() {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "tally-setup-"));
  try {
    const list = ["--", "true", ":::", "one", "two"];
    await runBundle(["run", "setup", "-q", "--data", path.join(data, "run"), ...list], data);
    await runBundle(["up", "--port", "0", "--data", path.join(data, "up")], data);
  } finally {
    fs.rmSync(data, { recursive: true, force: true });
  }
}

/** A server is stopped as soon as it reports that it is ready. */
function runBundle(args, data) {
  const stdio = ["ignore", "pipe", "ignore"];
  // So that nothing is recorded in the user's own state directory.
  const env = { ...process.env, XDG_STATE_HOME: path.join(data, "state") };
  const command = spawn(process.execPath, [inRoot("dist", "main.js"), ...args], { stdio, env });
  const timer = setTimeout(() => command.kill("SIGKILL"), 20_000);
  command.stdout.once("data", () => command.kill("SIGTERM"));
  return new Promise((resolve) => {
    command.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function sourceHash(files, folders) {
  const sources = folders.flatMap((folder) =>
    fs
      .readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)),
  );
  const all = [...files.map((file) => inRoot(file)), ...sources].sort();
  return hashOf(all.flatMap((file) => [path.relative(root, file), "\0", fs.readFileSync(file)]));
}

function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function readIfPresent(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (error) fail(`${command}: ${error.message}`);
  if (status !== 0)
    fail(`${path.basename(command)} ${args.map((arg) => path.basename(arg)).join(" ")} failed`);
}

/** To stderr, because "npm start" prints exactly one line to stdout. */
function say(text) {
  process.stderr.write(`setup: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
