import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { composeClusterRun } from "./compose-cluster-run.ts";
import { composeItemRetry, retriedIndexes, retryNumber } from "./compose-item-retry.ts";

const REQUEST = {
  name: "fetch",
  namespace: "default",
  suffix: "abcde",
  image: "busybox",
  parallelism: 4,
} as const;

function aRun(more: object) {
  const request = { ...REQUEST, completions: 10, ...more, command: ["echo"] };
  return composeClusterRun({ ...request, ...more }, { kind: "kubernetes" });
}

test("a retry is a Job that the first one owns, with the indexes of its items", () => {
  const { job } = aRun({});
  const first = { ...job, metadata: { ...job.metadata, uid: "u-1" } };
  const retry = composeItemRetry(first, { indexes: [2, 7, 8, 9], number: 3 });
  expect(retry.metadata).toMatchObject({
    name: "fetch-retry-3",
    labels: { "tallyjob.io/run": "fetch" },
    annotations: { "tallyjob.io/retried-indexes": "2,7-9" },
    ownerReferences: [{ kind: "Job", name: "fetch", uid: "u-1" }],
  });
  expect(retry.spec).toMatchObject({ completions: 4, parallelism: 4, completionMode: "Indexed" });
  expect(retriedIndexes(retry)).toEqual([2, 7, 8, 9]);
  expect([retryNumber(first), retryNumber(retry)]).toEqual([0, 3]);
});

test("each pod uses the index of its item everywhere in the command", () => {
  const command = ["sh", "-c", 'echo "$@" "$I" $JOB_COMPLETION_INDEX', "_", "it's {I}", "$$(I)"];
  const { job } = aRun({ command, indexVariable: "I" });
  const { spec } = composeItemRetry(job, { indexes: [2, 7], number: 1 });
  const [program = "", ...args] = spec.template.spec.containers?.[0]?.command ?? [];
  const env = { ...process.env, JOB_COMPLETION_INDEX: "1", I: "1" };
  const out = execFileSync(program, args, { env, encoding: "utf8" });
  expect(out).toContain("it's 7");
  expect(out.trim().endsWith("7 7")).toBe(true);
});

test("a long name is cut to make room for the number of the retry", () => {
  const { job } = aRun({ name: "x".repeat(60) });
  const { metadata } = composeItemRetry(job, { indexes: [1, 2], number: 12 });
  expect(metadata.name).toBe(`${"x".repeat(52)}-retry-12`);
});

test("too many items are rejected, and so is the default command of an image", () => {
  const many = Array.from({ length: 10_001 }, (_, index) => index);
  expect(() => composeItemRetry(aRun({}).job, { indexes: many, number: 1 })).toThrow("--index");
  const unknown = aRun({ command: [] }).job;
  expect(() => composeItemRetry(unknown, { indexes: [1], number: 1 })).toThrow("image's own");
});
