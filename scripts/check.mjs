// Runs the checks that execute no code, concurrently: types, lint and format, generated files.
// Prints one line per check, and the whole output of one that fails.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const module = (...parts) => path.join(root, "node_modules", ...parts);

const checks = {
  "tsc --noEmit": [module("typescript", "bin", "tsc"), "--noEmit", "--pretty", "false"],
  "biome check": [module("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings"],
  "generate --check": [path.join(root, "scripts", "generate.mjs"), "--check"],
};

const results = await Promise.all(Object.entries(checks).map(runCheck));
process.exitCode = results.every(Boolean) ? 0 : 1;

function runCheck([name, args]) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => output.push(data));
    child.on("close", (code) => {
      const passed = code === 0;
      process.stdout.write(`check: ${name} ${passed ? "passed" : "failed"}\n`);
      if (!passed) process.stdout.write(`${Buffer.concat(output)}\n`);
      resolve(passed);
    });
  });
}
