import { expect, test } from "vitest";
import type { Job } from "../../api/generated/batch.ts";
import { composeWhole, findChain, indexInRun, runNames } from "./run-chain.ts";

interface Facts {
  readonly name: string;
  readonly completions: number;
  readonly completed?: string;
  readonly failed?: string;
  readonly end?: "Complete" | "Failed";
  readonly retried?: string;
}

function aJob({ name, completions, completed = "", failed = "", end, retried }: Facts): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { "tallyjob.io/run": "fetch" },
      annotations: retried === undefined ? {} : { "tallyjob.io/retried-indexes": retried },
    },
    spec: { completions, parallelism: 2, completionMode: "Indexed" },
    status: {
      completedIndexes: completed,
      failedIndexes: failed,
      conditions: end ? [{ type: end, status: "True", reason: "FailedIndexes" }] : [],
    },
  } as unknown as Job;
}

const FIRST = { name: "fetch", completions: 5, completed: "0,2", failed: "1,3-4", end: "Failed" };

function whole(...retries: readonly Facts[]): Job {
  const all = [aJob(FIRST as Facts), ...retries.map(aJob)];
  const chain = findChain(all, "fetch");
  if (!chain) throw new Error("no chain");
  return composeWhole(chain);
}

test("a run without retries is shown as its Job", () => {
  expect(whole()).toEqual(aJob(FIRST as Facts));
});

test("a retried item is open until its Job has settled it", () => {
  const { metadata, spec, status } = whole({
    name: "fetch-retry-1",
    completions: 2,
    retried: "1,4",
    completed: "1",
  });
  expect(metadata).toMatchObject({ name: "fetch", uid: "uid-fetch-retry-1" });
  expect(spec.completions).toBe(5);
  expect(status).toMatchObject({ completedIndexes: "0,2,4", failedIndexes: "3", succeeded: 3 });
  expect(status.conditions).toEqual([]);
});

test("a run has failed if items failed that its last, complete Job did not retry", () => {
  const some = { name: "fetch-retry-1", completions: 1, retried: "1", completed: "0" } as const;
  expect(whole({ ...some, end: "Complete" }).status.conditions).toMatchObject([
    { type: "Failed", reason: "FailedIndexes" },
  ]);
  const rest = { name: "fetch-retry-2", completions: 2, retried: "3-4", completed: "0-1" } as const;
  const all = whole({ ...some, end: "Complete" }, { ...rest, end: "Complete" });
  expect(all.status.conditions).toMatchObject([{ type: "Complete" }]);
  expect(all.status).toMatchObject({ completedIndexes: "0-4", failedIndexes: "", succeeded: 5 });
});

test("an item that succeeded and fails in a retry has failed", () => {
  const again = { name: "fetch-retry-1", completions: 1, retried: "0", failed: "0" } as const;
  const { status } = whole({ ...again, end: "Failed" });
  expect(status).toMatchObject({ completedIndexes: "2", failedIndexes: "0,1,3,4" });
});

test("retries are sorted by number, and are not listed as runs", () => {
  const retries = [10, 2, 1].map((number) =>
    aJob({ name: `fetch-retry-${number}`, completions: 1, retried: "3" }),
  );
  const jobs = [...retries, aJob(FIRST as Facts)];
  const names = findChain(jobs, "fetch")?.retries.map(({ metadata }) => metadata.name);
  expect(names).toEqual(["fetch-retry-1", "fetch-retry-2", "fetch-retry-10"]);
  expect(runNames(jobs)).toEqual(["fetch"]);
  expect(retries.map((job) => indexInRun(job, 0))).toEqual([3, 3, 3]);
});
