import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { exited } from "../../../test/builders/job-pods.ts";
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { podFactory } from "../../controllers/job/new-pod.ts";
import { attemptsEndedBy } from "../../ledger/attempt.ts";
import { showPod } from "./run-client.ts";

const FIRST = named(aJob(INDEXED), "work", {});
/** Runs the items 1 and 4 of the run once more, as its indexes 0 and 1. */
const RETRY = named(aJob({ ...INDEXED, completions: 2 }), "work-retry-1", {
  "tallyjob.io/retried-indexes": "1,4",
});
const VIEW = {
  chain: { first: FIRST, retries: [RETRY] },
  itemAt: (index: number) => `item ${index}`,
};

function named(job: Job, name: string, annotations: { readonly [name: string]: string }): Job {
  return { ...job, metadata: { ...job.metadata, name, uid: `uid-${name}`, annotations } };
}

/** As Kubernetes creates it: with its index in the annotation and in the hostname. */
function aFailedPod(job: Job, index: number): Pod {
  const { metadata, spec } = podFactory(job)({ index });
  const status = { phase: "Failed", containerStatuses: [exited("c", 3)] };
  const named = { ...metadata, name: `pod-${index}`, uid: `pod-${index}` };
  return { apiVersion: "v1", kind: "Pod", metadata: named, spec, status };
}

test.each([
  ["the first Job", FIRST, 4, 4],
  ["a retry", RETRY, 0, 1],
  ["a retry, its last", RETRY, 1, 4],
])("a pod of %s has the index of the run, and so has its attempt", (_, job, own, index) => {
  const pod = aFailedPod(job, own);
  expect(pod.spec.hostname).toBe(`${job.metadata.name}-${own}`);
  const shown = showPod(VIEW, pod);
  expect(completionIndexOf(shown)).toBe(index);
  expect(shown.metadata.annotations?.["tallyjob.io/item"]).toBe(`item ${index}`);
  expect(attemptsEndedBy({ pod: shown, isDeleted: false, nowMs: 0 })).toMatchObject([{ index }]);
});
