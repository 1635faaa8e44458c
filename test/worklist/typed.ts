/** Commands as they are typed: split by a real shell, read by the real flags, composed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { seededRandom } from "../../src/base/random.ts";
import {
  addRunOptions,
  type RunFlags,
  readRun,
  runNameOf,
} from "../../src/runs/compose/run-flags.ts";
import type { RunRequest } from "../../src/runs/compose/run-request.ts";

/** Lines before the command prepare its directory. */
export async function readTyped(
  script: string,
  files: { readonly [name: string]: string } = {},
): Promise<RunRequest> {
  const directory = mkdtempSync(join(tmpdir(), "tally-typed-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return await readArgv(argvOf(script, directory), directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function argvOf(script: string, cwd: string): readonly string[] {
  const whole = `tally() { printf '%s\\0' "$@"; }\n${script}`;
  const { stdout, stderr, status } = spawnSync("sh", ["-c", whole], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.split("\0").slice(0, -1);
}

export async function readArgv(argv: readonly string[], directory: string): Promise<RunRequest> {
  const [verb, ...rest] = argv;
  if (verb !== "run") throw new Error(`this is tally ${verb}`);
  const dashes = rest.indexOf("--");
  const own = dashes === -1 ? rest : rest.slice(0, dashes);
  const words = dashes === -1 ? [] : rest.slice(dashes + 1);
  const command = addRunOptions(new Command("run").argument("[words...]")).exitOverride();
  let operands: readonly string[] = [];
  command.action((given: string[]) => {
    operands = given;
  });
  command.parse(own, { from: "user" });
  const name = runNameOf(operands);
  const { request } = await readRun(
    { ...(name === undefined ? {} : { name }), words },
    command.opts<RunFlags>(),
    {
      workingDirectory: directory,
      environment: {},
      cores: 4,
      random: seededRandom(1),
      readBytes: async (file) => readFileSync(resolve(directory, file)),
    },
  );
  return request;
}
