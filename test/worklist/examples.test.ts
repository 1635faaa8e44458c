/** The examples, as far as their processes: each is run for real, without an engine. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { composeCommand } from "../../src/agent/environment/command.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import { jobs } from "../../src/api/resources.ts";
import { parseYaml } from "../../src/api/schema/yaml-text.ts";
import { localClient } from "../../src/client/local.ts";
import { aServer } from "../builders/server.ts";
import { processOf } from "./process-of.ts";
import { argvOf, readArgv } from "./typed.ts";

const EXAMPLES = new URL("../../examples/", import.meta.url).pathname;

/** What the processes of an example print, by index. */
async function outputsOf(example: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "tally-example-"));
  try {
    cpSync(join(EXAMPLES, example), directory, { recursive: true });
    const script = readFileSync(join(directory, "run.sh"), "utf8");
    const request = await readArgv(argvOf(script, directory), directory);
    const { completions = 0 } = processOf(request, 0);
    return Array.from({ length: completions }, (_, index) => {
      const { command, environment } = processOf(request, index);
      const [program = "", ...rest] = command;
      const env = { PATH: process.env["PATH"] ?? "", ...Object.fromEntries(environment) };
      const ran = spawnSync(program, rest, { cwd: request.workdir, env, encoding: "utf8" });
      return ran.status === 0 ? ran.stdout.trimEnd() : `exit ${ran.status}: ${ran.stderr}`;
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test.each<[string, readonly string[]]>([
  ["work-list-1", ["12342.dat: 2 lines", "97283.dat: 1 lines", "38732.dat: 3 lines"]],
  [
    "work-list-2",
    [
      "rows 0 to 15, columns 0 to 15",
      "rows 16 to 31, columns 0 to 15",
      "rows 0 to 15, columns 16 to 31",
      "rows 16 to 31, columns 16 to 31",
    ],
  ],
  ["work-list-3", ["built one", "built two", "built three"]],
  ["work-list-4", ["frames/frame_0001", "frames/frame_0002", "frames/frame_0003"]],
  ["work-list-5", ["frames 1 to 100", "frames 101 to 200", "frames 201 to 300"]],
  ["list-in-shared-directory", ["frames 1 to 100", "frames 101 to 200", "frames 201 to 300"]],
])("%s prints what it should", async (example, outputs) => {
  expect(await outputsOf(example)).toEqual(outputs);
});

test("the list in an annotation is a Job of Kubernetes, and each pod finds its word", async () => {
  const text = readFileSync(join(EXAMPLES, "list-in-annotation/job.yaml"), "utf8");
  const job = parseYaml(text).value as unknown as Job;
  const metadata = { ...job.metadata, namespace: "default" };
  const { spec } = await localClient(aServer()).create(jobs, { ...job, metadata });
  const list = spec.template.metadata.annotations?.["example.com/work-list"] ?? "";
  const [container] = spec.template.spec.containers ?? [];
  const ran = composeCommand(container ?? { name: "", resources: {} }, new Map());
  const [program = "", ...rest] = "command" in ran ? ran.command : [];
  const env = { PATH: process.env["PATH"] ?? "", WORK_LIST: list, JOB_COMPLETION_INDEX: "1" };
  expect(spawnSync(program, rest, { env, encoding: "utf8" }).stdout).toBe(
    "index 1 works on 97283.dat\n",
  );
});
