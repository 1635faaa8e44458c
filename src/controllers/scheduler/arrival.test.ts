import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod } from "../../../test/builders/job-pods.ts";
import type { Pod } from "../../api/generated/core.ts";
import { compareArrival } from "./arrival.ts";

const job = aJob({ ...INDEXED, completions: 20 }, { name: "work" });

function pod(index: number, creationTimestamp: string): Pod {
  return aJobPod(job, {
    index,
    metadata: { ...aJobPod(job, { index }).metadata, creationTimestamp },
  });
}

test("pods of a Job are ordered by age, and within a second by index", () => {
  const indexes = [10, 11, 2, 9].map((index) => pod(index, "2026-01-01T00:00:00Z"));
  const retried = pod(0, "2026-01-01T00:00:01Z");
  const sorted = [retried, ...indexes].sort(compareArrival);
  const found = sorted.map(({ metadata }) => metadata.annotations);
  expect(found.map((each) => each?.["batch.kubernetes.io/job-completion-index"])).toEqual([
    "2",
    "9",
    "10",
    "11",
    "0",
  ]);
});

test("pods without a Job created within a second are equal", () => {
  const other: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "b" },
    spec: { containers: [] },
    status: {},
  };
  expect(compareArrival({ ...other, metadata: { name: "a" } }, other)).toBe(0);
});
