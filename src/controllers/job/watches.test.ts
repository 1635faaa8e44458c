import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { aJobPod, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isAbandoned, leavesPodsTracked, newsOf, trackingEvent, whenToSync } from "./watches.ts";

const job: Job = aJob({}, { generation: 1 });
const edited: Job = { ...job, metadata: { ...job.metadata, generation: 2 } };
const finished: Job = { ...job, status: { conditions: [{ type: "Failed", status: "True" }] } };

test.each([
  ["a new Job", { type: "ADDED", object: job }, "now"],
  ["an edited Job", { type: "MODIFIED", object: edited, previous: job }, "now"],
  ["a new status", { type: "MODIFIED", object: finished, previous: job }, "soon"],
  ["a Job that is gone", { type: "DELETED", object: job, previous: job }, "now"],
] as const)("%s is synced %s", (_case, change, when) => {
  expect(whenToSync(change)).toBe(when);
});

test("a Job that is gone or finished may leave pods tracked", () => {
  expect(leavesPodsTracked({ type: "DELETED", object: job })).toBe(true);
  expect(leavesPodsTracked({ type: "MODIFIED", object: finished, previous: job })).toBe(true);
  expect(leavesPodsTracked({ type: "MODIFIED", object: edited, previous: job })).toBe(false);
});

const pod = (fields: JobPodFields = {}) => aJobPod(job, { uid: "p", ...fields });
const orphan = (labels = {}) => pod({ metadata: { ownerReferences: [], labels } });

test("a pod that changes owners concerns both Jobs, and an orphan can be adopted", () => {
  const [owner] = pod().metadata.ownerReferences ?? [];
  const lost = newsOf({ type: "MODIFIED", object: orphan(), previous: pod() });
  expect(lost).toEqual({ former: owner, isAdoptable: true });
  expect(newsOf({ type: "ADDED", object: pod() })).toEqual({ owner, isAdoptable: false });
});

test("an orphan is adoptable when it appears or its labels change, not when it is deleted", () => {
  const going = pod({ isDeleting: true, metadata: { ownerReferences: [] } });
  expect(newsOf({ type: "ADDED", object: orphan() }).isAdoptable).toBe(true);
  expect(newsOf({ type: "ADDED", object: going }).isAdoptable).toBe(false);
  const again = { type: "MODIFIED", object: orphan(), previous: orphan() } as const;
  expect(newsOf(again).isAdoptable).toBe(false);
  expect(newsOf({ ...again, object: orphan({ a: "b" }) }).isAdoptable).toBe(true);
});

const otherKind = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r" };

test.each([
  ["without an owner", orphan(), undefined, true],
  ["of a Job that is gone", pod(), undefined, true],
  ["of a finished Job", pod(), finished, true],
  ["of a running Job", pod(), job, false],
  ["without the finalizer", pod({ isTracked: false }), undefined, false],
  [
    "of another kind",
    pod({ metadata: { ownerReferences: [{ ...otherKind, controller: true }] } }),
    undefined,
    false,
  ],
])("whether a pod %s is abandoned", (_case, object, owner, expected) => {
  expect(isAbandoned(object, owner)).toBe(expected);
});

test.each([
  ["a tracked pod ends", pod({ phase: "Failed" }), pod(), "add"],
  [
    "it is released",
    pod({ phase: "Failed", isTracked: false }),
    pod({ phase: "Failed" }),
    "delete",
  ],
  ["it runs", pod({ phase: "Running" }), pod(), undefined],
])("the metric of tracked pods when %s", (_case, object, previous, event) => {
  expect(trackingEvent({ type: "MODIFIED", object, previous })).toBe(event);
});
