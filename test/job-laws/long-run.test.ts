import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { keepFailedSeed, readFailedSeeds } from "../support/failed-seeds.ts";
import { runLong } from "./long-run.ts";
import { judgePortion } from "./portion.ts";
import { Progress } from "./progress.ts";

let directory: string;
let compiled: Compiled;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "tally-laws-"));
  compiled = await compileChild("test/job-laws/child.ts");
});
afterAll(async () => {
  await compiled.dispose();
  await rm(directory, { recursive: true, force: true });
});

const run = (progress: Progress, histories: number, processes: number) =>
  runLong({
    child: compiled.child,
    histories,
    processes,
    portionSize: 10,
    progress,
    onBroken: () => {},
  });

test("a long run judges every seed once, in as many processes as requested", async () => {
  const progress = new Progress(1000);
  await run(progress, 45, 2);
  const firsts = progress.done.map(({ first }) => first).sort();
  expect(firsts).toEqual([1000, 1010, 1020, 1030, 1040]);
  const { histories, syncs } = progress.totals();
  const { syncs: expected } = judgePortion({ first: 1000, count: 45 });
  expect({ histories, syncs }).toEqual({ histories: 45, syncs: expected });
});

test("a run that was killed continues with the portions that are missing", async () => {
  const file = path.join(directory, "progress");
  await run(new Progress(1000, file), 30, 1);
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  // The second portion was not judged, and the last line was truncated.
  const [began, first, _second, third = ""] = lines;
  await writeFile(file, [began, first, third, third.slice(0, 20)].join("\n"));
  const resumed = new Progress(7, file);
  expect(resumed.firstSeed).toBe(1000);
  expect(resumed.totals().histories).toBe(20);
  await run(resumed, 40, 1);
  const again = new Progress(7, file);
  expect(again.done.map((portion) => portion.first)).toEqual([1000, 1020, 1010, 1030]);
});

test("a process that dies is reported with its seeds", async () => {
  const child = path.join(directory, "dies.mjs");
  await writeFile(child, 'process.on("message", () => process.exit(3));');
  const dying = { child, histories: 10, processes: 1, portionSize: 10, onBroken: () => {} };
  const outcome = runLong({ ...dying, progress: new Progress(1000) });
  await expect(outcome).rejects.toThrow("exit 3 with the seeds 1000 to 1009");
});

test("a failed seed is added to its table once, and stays there", () => {
  const table = path.join(directory, "failed-seeds.jsonl");
  expect(readFailedSeeds(table)).toEqual([]);
  expect(keepFailedSeed(table, { seed: 1, problem: "one" })).toMatch(/^added to /);
  expect(keepFailedSeed(table, { seed: 2, problem: "two" })).toMatch(/^added to /);
  expect(keepFailedSeed(table, { seed: 1, problem: "one" })).toMatch(/^listed in /);
  expect(readFailedSeeds(table).map(({ seed }) => seed)).toEqual([1, 2]);
  const missing = path.join(directory, "missing", "failed-seeds.jsonl");
  expect(keepFailedSeed(missing, { seed: 1, problem: "one" })).toMatch(/^NOT added to .*ENOENT/);
});
