import { beforeEach, expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, exited, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import { STOPPED } from "../../api/pod-end.ts";
import type { AttemptEnd } from "./attempt.ts";
import { RunBook } from "./run-book.ts";

const FINISHED: JobStatus = { conditions: [{ type: "Failed", status: "True", reason: "R" }] };
const made: Job = aJob({ ...INDEXED, backoffLimitPerIndex: 1 });
/** Older than all pods: none of their events is missing. */
const job: Job = { ...made, metadata: { ...made.metadata, resourceVersion: "0" } };
const leaving = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
let book: RunBook;
let told: string[];

beforeEach(() => {
  told = [];
  book = new RunBook({
    started: ({ index }) => told.push(`${index} started`),
    failedOnce: ({ index, exitCode }) => told.push(`${index} failed with ${exitCode}`),
    ended: ({ index, outcome }) => told.push(`${index} ${outcome}`),
  });
  book.begin(job);
});

const pod = (uid: string, fields: JobPodFields) => aJobPod(job, { uid, ...fields });
const change = (uid: string, fields: JobPodFields) => book.takePod("MODIFIED", pod(uid, fields));
const status = (fields: JobStatus) => book.takeJob({ ...job, status: fields });

test("a success is reported once, however often its pod changes", () => {
  change("a", { index: 0, phase: "Running" });
  change("a", { index: 0, phase: "Running", isReady: true });
  change("a", { index: 0, phase: "Succeeded", exitCode: 0 });
  change("a", { index: 0, phase: "Succeeded", exitCode: 0, isTracked: false });
  book.takePod("DELETED", pod("a", { index: 0, phase: "Succeeded", exitCode: 0 }));
  expect(told).toEqual(["0 started", "0 Succeeded"]);
  expect([book.succeeded, book.failed, book.active]).toEqual([1, 0, 0]);
});

test("a failure is reported as an attempt until the Job gives up the index", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3 });
  expect([book.failed, book.waiting]).toEqual([0, 1]);
  change("b", { index: 2, phase: "Failed", exitCode: 4 });
  status({ failedIndexes: "2" });
  expect(told).toEqual(["2 failed with 3", "2 failed with 4", "2 Failed"]);
  expect([book.failed, book.waiting]).toEqual([1, 0]);
});

test("the last attempt is reported, whatever the order of listed pods", () => {
  const once = { counted: 1, ignored: 0 };
  change("b", { index: 2, phase: "Failed", exitCode: 4, failures: once });
  change("a", { index: 2, phase: "Failed", exitCode: 3 });
  status({ failedIndexes: "2" });
  expect(told).toEqual(["2 failed with 4", "2 Failed"]);
  expect([book.failed, book.retries]).toEqual([1, 1]);
});

test("an item that is stopped at its second attempt has not failed", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3 });
  const next = pod("b", { index: 2, phase: "Failed", exitCode: 143, ...leaving });
  const annotations = { ...next.metadata.annotations, [STOPPED]: "true" };
  book.takePod("MODIFIED", { ...next, metadata: { ...next.metadata, annotations } });
  status(FINISHED);
  expect([book.succeeded, book.failed]).toEqual([0, 0]);
});

test("an item that succeeds at its last attempt has not failed", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3 });
  change("b", { index: 2, phase: "Succeeded", exitCode: 0 });
  expect(told.at(-1)).toBe("2 Succeeded");
  expect([book.succeeded, book.failed, book.retries]).toEqual([1, 0, 1]);
});

test("a failed Job ends items that wait for a retry", () => {
  change("a", { index: 1, phase: "Failed", exitCode: 1 });
  status(FINISHED);
  expect(told.at(-1)).toBe("1 Failed");
});

test("a failure that arrives after the Job gave up the index is final", () => {
  status({ failedIndexes: "1" });
  change("a", { index: 1, phase: "Failed", exitCode: 1 });
  expect(told).toEqual(["1 failed with 1", "1 Failed"]);
});

const at = (resourceVersion: string) => ({ metadata: { resourceVersion } });
const statusAt = (resourceVersion: string, fields: JobStatus) =>
  book.takeJob({ ...job, metadata: { ...job.metadata, resourceVersion }, status: fields });

test("a failure is final once all pod events up to the revision of the Job have arrived", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  statusAt("20", { failedIndexes: "2" });
  expect(told).toEqual(["2 failed with 3"]);
  change("b", { index: 2, phase: "Failed", exitCode: 4, ...at("15") });
  expect(told).toEqual(["2 failed with 3", "2 failed with 4"]);
  change("b", { index: 2, phase: "Failed", exitCode: 4, isTracked: false, ...at("21") });
  expect(told).toEqual(["2 failed with 3", "2 failed with 4", "2 Failed"]);
  expect([book.failed, book.retries]).toEqual([1, 1]);
});

test("a list of pods as new as the Job makes its failures final", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  statusAt("20", { failedIndexes: "2" });
  book.markPodsSeen("20");
  expect(told).toEqual(["2 failed with 3", "2 Failed"]);
});

const ended = { item: undefined, containers: [], startedMs: undefined, endedMs: undefined };
const how = { signal: undefined, reason: undefined, message: undefined };
const anEnd = (uid: string, fields: Pick<AttemptEnd, "outcome" | "attempt" | "exitCode">) => {
  const pod = { namespace: "default", name: uid, uid };
  return { index: 2, pod, ...ended, ...how, ...fields };
};

test("a last attempt that was not seen is taken from the ledger when the Job ends", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  statusAt("20", { ...FINISHED, failedIndexes: "2" });
  expect([told, book.unreported()]).toEqual([["2 failed with 3"], [2]]);
  book.settle(2, anEnd("b", { outcome: "Failed", attempt: 2, exitCode: 4 }));
  expect(told).toEqual(["2 failed with 3", "2 failed with 4", "2 Failed"]);
  expect([book.failed, book.unreported(), book.retries]).toEqual([1, [], 1]);
});

test("an older attempt in the ledger does not replace a later one that was seen", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  const failures = { counted: 1, ignored: 0 };
  change("b", { index: 2, phase: "Failed", exitCode: 4, failures, ...at("11") });
  statusAt("20", { ...FINISHED, failedIndexes: "2" });
  book.settle(2, anEnd("a", { outcome: "Failed", attempt: 1, exitCode: 3 }));
  expect(told).toEqual(["2 failed with 3", "2 failed with 4", "2 Failed"]);
  expect([book.failed, book.retries]).toEqual([1, 1]);
});

test("an item that waits for a retry fails when the Job fails", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  statusAt("20", FINISHED);
  expect(book.unreported()).toEqual([2]);
  book.settle(2, anEnd("a", { outcome: "Failed", attempt: 1, exitCode: 3 }));
  expect(told).toEqual(["2 failed with 3", "2 Failed"]);
});

test("an item of which only a failure was seen succeeds if the ledger has its success", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  statusAt("20", { completedIndexes: "2" });
  book.settle(2, anEnd("b", { outcome: "Succeeded", attempt: 2, exitCode: 0 }));
  expect(told).toEqual(["2 failed with 3", "2 Succeeded"]);
  statusAt("21", { ...FINISHED, completedIndexes: "2" });
  expect([book.succeeded, book.failed, book.unreported()]).toEqual([1, 0, []]);
});

test("a failed Job has not given up what it had completed at a later attempt", () => {
  change("a", { index: 2, phase: "Failed", exitCode: 3, ...at("10") });
  book.markPodsSeen("30");
  statusAt("20", { ...FINISHED, completedIndexes: "2", failedIndexes: "1" });
  expect(told).toEqual(["2 failed with 3"]);
  book.settle(2, anEnd("b", { outcome: "Succeeded", attempt: 2, exitCode: 0 }));
  expect(told).toEqual(["2 failed with 3", "2 Succeeded"]);
  expect([book.succeeded, book.failed, book.retries]).toEqual([1, 0, 1]);
});

test("a pod that the Job stops does not count as failed", () => {
  change("a", { index: 0, phase: "Running" });
  change("a", { index: 0, phase: "Failed", exitCode: 143, isTracked: false, ...leaving });
  book.takePod("MODIFIED", pod("b", { index: 1, phase: "Running" }));
  book.takePod("DELETED", pod("b", { index: 1, phase: "Running" }));
  expect(told).toEqual(["0 started", "1 started"]);
  expect([book.active, book.failed]).toEqual([0, 0]);
});

test("an item whose pod never started has neither failed nor been attempted", () => {
  const missed = { exitCode: 137, reason: "ContainerStatusUnknown", startedAt: null };
  const container = { ...exited("c", 137), state: { terminated: missed } };
  const unbegun = { phase: "Failed", containerStatuses: [container] };
  change("a", { index: 0, status: unbegun, isDeleting: true });
  status(FINISHED);
  expect(told).toEqual([]);
  expect([book.failed, book.retries]).toEqual([0, 0]);
});

test("an item killed by the end of its Job has failed, and no retry is reported", () => {
  const metadata = { ...pod("a", { index: 0 }).metadata, finalizers: [], ...leaving.metadata };
  const annotations = { ...metadata.annotations, "tallyjob.io/ran": "1-2" };
  status({ conditions: [{ type: "FailureTarget", status: "True" }] });
  const killed = { index: 0, phase: "Failed", exitCode: 143 };
  change("a", { ...killed, metadata: { ...metadata, annotations } });
  status(FINISHED);
  expect(told).toEqual(["0 Failed"]);
  expect([book.failed, book.retries]).toEqual([1, 0]);
});

test("an item that a successful Job did not need has not failed", () => {
  change("a", { index: 0, phase: "Failed", exitCode: 1 });
  status({ conditions: [{ type: "SuccessCriteriaMet", status: "True" }] });
  change("b", { index: 1, phase: "Failed", exitCode: 143 });
  status({ conditions: [{ type: "Complete", status: "True", reason: "SuccessPolicy" }] });
  expect(told).toEqual(["0 failed with 1"]);
  expect(book.failed).toBe(0);
});

test("items done before are counted and not reported", () => {
  book = new RunBook({ ended: ({ index }) => told.push(`${index}`) });
  book.begin({ ...job, status: { completedIndexes: "0-2", failedIndexes: "4" } });
  expect([book.succeeded, book.failed, book.unreported()]).toEqual([3, 1, []]);
  expect([0, 3, 4].map(book.isSettled)).toEqual([true, false, true]);
});

test("an index that will be run again is not settled before", () => {
  const asked = { ...job.metadata, annotations: { "tallyjob.io/rerun-indexes": "4" } };
  const settled = { completedIndexes: "0-2", failedIndexes: "4" };
  book.begin({ ...job, metadata: asked, status: settled });
  expect([0, 4].map(book.isSettled)).toEqual([true, false]);
  book.takeJob({ ...job, status: settled });
  expect([0, 4].map(book.isSettled)).toEqual([true, true]);
});

test("items done by a former Job are done before the new Job has a status", () => {
  const annotations = { "tallyjob.io/completed-indexes": "1,3" };
  book.begin({ ...job, metadata: { ...job.metadata, annotations }, status: {} });
  expect(book.succeeded).toBe(2);
});

test("missed ends are found by the counters of the Job", () => {
  change("a", { index: 0, phase: "Succeeded", exitCode: 0 });
  status({ completedIndexes: "0,2", failedIndexes: "3" });
  expect(book.unreported()).toEqual([2, 3]);
  for (const index of book.unreported()) book.settle(index);
  expect([book.succeeded, book.failed, book.unreported()]).toEqual([2, 1, []]);
});

test("pods missing in a new list are not running", () => {
  change("a", { index: 0, phase: "Running" });
  change("b", { index: 1, phase: "Running" });
  book.keepOnlyPods(new Set(["b"]));
  expect([...book.running].map(({ index }) => index)).toEqual([1]);
});
