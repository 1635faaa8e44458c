import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { aJobPod } from "../../../test/builders/job-pods.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Cache } from "../../client/cache.ts";
import { isAtLeast } from "../../client/list-watch.ts";
import { findUnseen, noteWrite, noWrites } from "./own-writes.ts";

function aCache<T extends KubeObject>(shown: string, objects: readonly T[] = []): Cache<T> {
  return {
    get: (_namespace, name) => objects.find(({ metadata }) => metadata.name === name),
    list: () => objects,
    find: () => [],
    onChange: () => ({ close: () => {} }),
    hasSeen: (revision) => isAtLeast(shown, revision),
    seen: async () => {},
    close: () => {},
  };
}

const job = aJob();
const written = (resourceVersion: string): KubeObject => ({
  ...job,
  metadata: { resourceVersion },
});

test.each([
  ["nothing was written", [], [], "5", "5", undefined],
  ["the caches show everything", ["4"], ["5", "3"], "5", "5", undefined],
  ["the Job cache is behind", ["6"], [], "5", "9", "jobs"],
  ["one pod of many is missing", [], ["99", "100", "7"], "5", "99", "pods"],
] as const)("findUnseen when %s", (_case, jobs, pods, jobsShown, podsShown, behind) => {
  const writes = noWrites();
  for (const revision of jobs) noteWrite(writes, "jobs", written(revision));
  for (const revision of pods) noteWrite(writes, "pods", written(revision));
  const caches = { jobs: aCache<Job>(jobsShown), pods: aCache<Pod>(podsShown) };
  expect(findUnseen(writes, "ns", caches)).toBe(behind);
});

test.each([
  ["has its finalizer as before", [aJobPod(job, { uid: "a", metadata: { name: "p" } })], "pods"],
  ["has none", [aJobPod(job, { uid: "a", isTracked: false, metadata: { name: "p" } })], undefined],
  ["is another by now", [aJobPod(job, { uid: "b", metadata: { name: "p" } })], undefined],
  ["is gone", [], undefined],
])("a released pod that %s", (_case, pods, behind) => {
  const writes = noWrites();
  writes.released.set("a", "p");
  const caches = { jobs: aCache<Job>("1"), pods: aCache("1", pods) };
  expect(findUnseen(writes, "ns", caches)).toBe(behind);
  expect(writes.released.size).toBe(behind ? 1 : 0);
});

test.each([
  ["is there as before", [aJobPod(job, { uid: "a", metadata: { name: "p" } })], "pods"],
  ["is going", [aJobPod(job, { uid: "a", isDeleting: true, metadata: { name: "p" } })], undefined],
  ["is another by now", [aJobPod(job, { uid: "b", metadata: { name: "p" } })], undefined],
  ["is gone", [], undefined],
])("a deleted pod that %s", (_case, pods, behind) => {
  const writes = noWrites();
  writes.leaving.set("a", "p");
  const caches = { jobs: aCache<Job>("1"), pods: aCache("1", pods) };
  expect(findUnseen(writes, "ns", caches)).toBe(behind);
  expect(writes.leaving.size).toBe(behind ? 1 : 0);
});
