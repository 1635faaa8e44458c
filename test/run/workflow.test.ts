import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./tally-run.ts";
import { surviveWorkflowKills } from "./workflow-kills.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const FILES = ["12342", "97283", "38732"];

/** What the images of the document have: two programs, and the storage that they share. */
function provide(): void {
  mkdirSync(place.path("bin"));
  mkdirSync(place.path("storage"));
  for (const file of FILES) writeFileSync(place.path("storage", `${file}.dat`), `data ${file}\n`);
  const programs = {
    process_file: 'sed "s/^/processed /" "$1" > "$(basename "$1" .dat).out"',
    mergefiles: 'cat "$@" > merged.txt',
  };
  for (const [name, script] of Object.entries(programs)) {
    const text = `#!/bin/sh\ncd "$(dirname "$0")/../storage" && ${script}\n`;
    writeFileSync(place.path("bin", name), text);
    chmodSync(place.path("bin", name), 0o755);
  }
}

/** The words of the document, but for where the programs are. */
const processFiles = (...more: string[]) => [
  "run",
  "process-files",
  "--image=myfileprocessor",
  "--per-completion-env=F=12342.dat 97283.dat 38732.dat",
  "--restart=OnFailure",
  ...more,
  "--",
  place.path("bin/process_file"),
  "$F",
];
const mergeFiles = () => [
  "run",
  "merge-files",
  "--image=mymerger",
  "--restart=OnFailure",
  "--asTemplate",
  "--",
  place.path("bin/mergefiles"),
  ...FILES.map((file) => `${file}.out`),
];
const WORKFLOW = [
  "create-workflow",
  "process-and-merge",
  "--job=jobTemplate/process-files",
  "--job=jobTemplate/merge-files",
  "--dependency=process-files:merge-files",
];
const MERGED = FILES.map((file) => `processed data ${file}\n`).join("");
const merged = () => readFileSync(place.path("storage/merged.txt"), "utf8");

test("process and merge, as the original design types it, from an empty directory", async () => {
  provide();
  expect(await place.run(processFiles("--asTemplate"))).toMatchObject({
    code: 0,
    out: 'created "jobTemplate/process-files"\n',
  });
  expect(await place.run(mergeFiles())).toMatchObject({
    code: 0,
    out: 'created "jobTemplate/merge-files"\n',
  });
  const { code, out, error } = await place.run(WORKFLOW);
  expect(out).toBe('created "workflow/process-and-merge"\n');
  expect(error).toContain("tally: process-and-merge: 2 of 2 steps succeeded in ");
  expect(code).toBe(0);
  expect(merged()).toBe(MERGED);
});

test("a run at a time, as the original design types it", async () => {
  provide();
  const runAt = new Date(Date.now() + 1500).toISOString();
  const { code, out, error } = await place.run(processFiles(`--runAt=${runAt}`));
  const [, name] = /^created "scheduledJob\/(process-files-[a-z0-9]{5})"\n/.exec(out) ?? [];
  expect(name).toBeDefined();
  expect(error).toMatch(new RegExp(`tally: ${name}: 3 of 3 succeeded`));
  expect(code).toBe(0);
  const { out: listed } = await place.run(["list", "-o", "name"]);
  expect(listed).toBe(`${name}\n`);
});

test("a server of the directory sees to it, and deletes all of it with the workflow", async () => {
  provide();
  const up = place.start(["up", "--data", ".tally", "--port", "0", "--on-exit=terminate"]);
  await until(() => up.out().includes("Tally is ready"));
  await place.run(processFiles("--asTemplate"));
  await place.run(mergeFiles());
  expect(await place.run(WORKFLOW)).toMatchObject({
    code: 0,
    out: 'created "workflow/process-and-merge"\n',
    error: "",
  });
  expect(await place.run(["wait", "workflow/process-and-merge"])).toMatchObject({ code: 0 });
  expect(merged()).toBe(MERGED);
  const { out } = await place.run(["get", "wf", "process-and-merge", "--no-headers"]);
  expect(out).toMatch(/^process-and-merge +Complete +2 +2 +0 +0 /);
  await place.run(["delete", "workflow/process-and-merge"]);
  await place.run(["wait", "jobs", "--all", "--for", "delete"]);
  expect((await place.run(["get", "jobs,cm", "-o", "name"])).out).toMatch(
    /^configmap\/kube-root-ca\.crt\nconfigmap\/process-files-list-\w+\n$/,
  );
  up.process.kill("SIGTERM");
  expect((await up.ended).code).toBe(0);
});

test("what failed runs again when it is asked for, and only that", async () => {
  const template = (name: string, script: string) =>
    place.run(["run", name, "--retries=0", "--asTemplate", "--", "sh", "-c", script]);
  await template("first", "echo first >> ran");
  await template("second", "echo second >> ran; test -e mended");
  await template("third", "echo third >> ran");
  const steps = ["first", "second", "third"].map((name) => `--job=jobTemplate/${name}`);
  const order = ["--dependency=first:second", "--dependency=second:third"];
  const failed = await place.run(["create-workflow", "w", ...steps, ...order]);
  expect(failed.code).toBe(1);
  expect(failed.error).toContain("tally: w: second failed: ");
  expect(failed.error).toContain("tally: w: third is skipped: second did not succeed\n");
  expect(failed.error).toContain("run what failed again with: tally retry workflow/w\n");
  writeFileSync(place.path("mended"), "");
  expect((await place.run(["retry", "workflow/w"])).code).toBe(0);
  expect(readFileSync(place.path("ran"), "utf8")).toBe("first\nsecond\nsecond\nthird\n");
});

test("stopped by Ctrl-C what runs finishes, and the rest goes on when it is resumed", async () => {
  const script = "echo begun >> ran; sleep 0.3; echo ended >> ran";
  await place.run(["run", "t", "--asTemplate", "--", "sh", "-c", script]);
  const steps = ["--job=a=jobTemplate/t", "--job=b=jobTemplate/t", "--dependency=a:b"];
  const run = place.start(["create-workflow", "w", ...steps]);
  await until(() => run.error().includes("a is running"));
  run.process.kill("SIGINT");
  const { code, error } = await run.ended;
  expect(code).toBe(130);
  expect(error).toContain("1 of 2 steps succeeded; continue with: tally resume workflow/w\n");
  expect(readFileSync(place.path("ran"), "utf8")).toBe("begun\nended\n");
  expect((await place.run(["resume", "workflow/w"])).code).toBe(0);
  expect(readFileSync(place.path("ran"), "utf8")).toBe("begun\nended\nbegun\nended\n");
});

test("killed again and again, each step of a workflow runs once", async () => {
  await surviveWorkflowKills({ steps: 12, shape: "chain", kills: 4, random: Math.random });
});
