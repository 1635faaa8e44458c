/** Laws about what is decided for a Job, whatever happens to it and its pods. */
import assert from "node:assert/strict";
import type { Pod } from "../../src/api/generated/core.ts";
import { isFinished } from "../../src/api/job-conditions.ts";
import { millisecondsOf } from "../../src/api/time.ts";
import { backoffMs } from "../../src/base/backoff.ts";
import { decideJob } from "../../src/controllers/job/decide.ts";
import type { PlannedPod } from "../../src/controllers/job/pod-changes.ts";
import { freshBoard, isSameBoard } from "./boards.ts";
import { scale } from "./history.ts";
import type { Laws } from "./law.ts";
import {
  failuresBefore,
  indexOf,
  isFailure,
  isIgnored,
  isIndexed,
  isInPlace,
  recount,
  replacesOnlyFailed,
} from "./recount.ts";
import { BACKOFF, isOver, isTracked, type JobWorld, PODS_PER_SYNC, type Sync } from "./world.ts";

export const DECIDING_LAWS: Laws = {
  "no pod is created for an index that is active, completed, failed or out of range": (sync) => {
    const { completed, failedIndexes, active, terminating } = recount(sync);
    for (const { index } of plannedBy(sync)) {
      if (!isIndexed(sync.job)) {
        assert.equal(index, undefined);
        continue;
      }
      assert.ok(index !== undefined && index >= 0, "no index");
      assert.ok(index < (sync.job.spec.completions ?? 0), `${index} is out of range`);
      assert.ok(!completed.has(index), `${index} is completed`);
      assert.ok(!failedIndexes.has(index), `${index} has failed`);
      const taken = replacesOnlyFailed(sync.job) ? [...active, ...terminating] : active;
      assert.ok(!taken.map(indexOf).includes(index), `${index} has a pod`);
    }
  },

  "no plan creates an index twice": (sync) => {
    const indexes = plannedBy(sync).flatMap(({ index }) => index ?? []);
    assert.equal(new Set(indexes).size, indexes.length);
  },

  "existing and planned pods never exceed the parallelism or the remaining completions": (sync) => {
    const planned = plannedBy(sync).length;
    if (planned === 0) return;
    const { spec } = sync.job;
    const { active, terminating, succeeded } = recount(sync);
    const held = replacesOnlyFailed(sync.job) ? terminating.length : 0;
    const needed = (spec.completions ?? Number.POSITIVE_INFINITY) - succeeded;
    const most = Math.min(spec.parallelism ?? 1, needed);
    assert.ok(active.length + held + planned <= most, `${planned} are too many`);
  },

  "one sync creates pods or deletes pods, never both": ({ pods, left }) => {
    const created = [...left.keys()].filter((uid) => !pods.has(uid));
    const deleted = [...pods].filter(([uid, pod]) => !isGoing(pod) && isGone(left.get(uid)));
    assert.ok(created.length === 0 || deleted.length === 0, `creates ${created}`);
  },

  "a Job that is suspended or has too many pods keeps no surplus pod": (sync) => {
    const { job, isWhole, left, decision } = sync;
    if (!isWhole || decision.againInMs === 0 || job.metadata.deletionTimestamp !== undefined)
      return;
    const { active } = recount({ job, pods: left });
    const most = job.spec.suspend ? 0 : (job.spec.parallelism ?? 1);
    const isDrained = job.spec.completions === undefined && recount(sync).succeeded > 0;
    if (job.spec.suspend || !isDrained) assert.ok(active.length <= most, `more than ${most}`);
    if (!isIndexed(job)) return;
    for (const pod of active) assert.ok(isInPlace(job, pod), `${uidOf(pod)} is out of place`);
    assert.equal(new Set(active.map(indexOf)).size, active.length);
  },

  "only surplus pods and pods with an invalid or duplicate index are removed": (sync) => {
    const { podChanges } = sync.decision;
    if (podChanges.kind !== "remove" || sync.job.spec.suspend) return;
    const { completions, parallelism = 1 } = sync.job.spec;
    const { active, succeeded } = recount(sync);
    const missing = Math.max(0, (completions ?? 0) - succeeded);
    const queue = succeeded > 0 ? active.length : parallelism;
    const wanted = completions === undefined ? queue : Math.min(parallelism, missing);
    const placed = active.filter((pod) => isInPlace(sync.job, pod));
    const kept = isIndexed(sync.job) ? new Set(placed.map(indexOf)).size : placed.length;
    const expected = active.length - Math.min(kept, wanted);
    assert.equal(podChanges.pods.length, Math.min(PODS_PER_SYNC, expected));
  },

  "a Job that is being deleted creates no pod": ({ job, pods, left }) => {
    if (job.metadata.deletionTimestamp === undefined) return;
    for (const uid of left.keys()) assert.ok(pods.has(uid), `${uid} was created`);
  },

  "the lowest free indexes come first; indexes that wait keep their place": (sync) => {
    const { job, nowMs } = sync;
    if (!isIndexed(job) || plannedBy(sync).length === 0) return;
    const { completed, failedIndexes, active, terminating } = recount(sync);
    const held = replacesOnlyFailed(job) ? terminating : [];
    const taken = new Set([...completed, ...failedIndexes, ...[...active, ...held].map(indexOf)]);
    const all = Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index);
    const wanted = Math.min(job.spec.parallelism ?? 1, all.length - completed.size);
    const free = all.filter((index) => !taken.has(index));
    const missing = wanted - active.length - held.length;
    const places = free.slice(0, Math.min(missing, PODS_PER_SYNC));
    const ready = places.filter((index) => untilReplacedMs(sync, index) <= nowMs);
    const planned = plannedBy(sync).map(({ index }) => index);
    assert.deepEqual(planned, ready);
  },

  "no pod is created before the back-off is over, and the wait has exactly that length": {
    afresh: () => {
      const record = { failures: 0, lastMs: 0, restarts: 0 };
      const told = new Set<string>();
      return (sync) => {
        const { job, nowMs, decision } = sync;
        learn(record, told, sync);
        if (job.spec.backoffLimitPerIndex !== undefined) return;
        const untilMs = record.lastMs + backoffMs(BACKOFF, record.failures);
        const { podChanges } = decision;
        if (podChanges.kind === "create")
          assert.ok(nowMs >= untilMs, `${untilMs - nowMs} ms early`);
        const isExact = podChanges.kind === "wait" && sync.restarts === 0;
        if (isExact) assert.equal(nowMs + podChanges.delayMs, untilMs);
      };
    },
  },

  "with a limit per index, each index has its own back-off and its own failure count": (sync) => {
    const { job, nowMs, decision } = sync;
    if (job.spec.backoffLimitPerIndex === undefined) return;
    for (const { index = -1, failures } of plannedBy(sync)) {
      assert.ok(nowMs >= untilReplacedMs(sync, index), `${index} is early`);
      const failed = findRetained(sync, index);
      const before = failed ? failuresBefore(failed) : { counted: 0, ignored: 0 };
      if (failed && isIgnored(job, failed)) before.ignored++;
      else if (failed) before.counted++;
      assert.deepEqual(failures, before);
    }
    if (decision.podChanges.kind !== "wait") return;
    const waits = [...sync.pods.values()].map((pod) => untilReplacedMs(sync, indexOf(pod) ?? -1));
    assert.ok(waits.includes(nowMs + decision.podChanges.delayMs), "no index ends its wait then");
  },

  "deciding again gives the same result, and does not change its arguments": (sync) => {
    const { job, board, nowMs, decision } = sync;
    const isFresh = isSameBoard(board, freshBoard(sync));
    const limits = { backoff: BACKOFF, podsPerSync: PODS_PER_SYNC };
    const again = decideJob({ job, board, nowMs, ...limits });
    assert.deepEqual(again, decision);
    assert.equal(isSameBoard(board, freshBoard(sync)), isFresh, "the board has changed");
  },

  "no sync changes more pods than its limit, and the rest follows immediately": ({
    job,
    decision,
  }) => {
    const { podChanges, againInMs } = decision;
    if (podChanges.kind !== "create" && podChanges.kind !== "remove") return;
    const isCapped = podChanges.kind === "create" || job.spec.suspend !== true;
    const count = podChanges.pods.length;
    if (isCapped) assert.ok(count <= PODS_PER_SYNC, `${count} at once`);
    // Indexes that wait for their back-off still occupy a place.
    const mayWait = job.spec.backoffLimitPerIndex !== undefined;
    if (podChanges.hasMore && !mayWait) assert.equal(count, PODS_PER_SYNC);
    assert.equal(againInMs === 0, podChanges.hasMore);
  },

  "an undisturbed Job comes to rest in a bounded number of syncs, and then plans nothing": {
    aftermath: (world) => {
      const most = syncsToRest(world);
      let syncs = 0;
      while (!isAtRest(world)) assert.ok(++syncs <= most, `still busy after ${most} syncs`);
      assert.ok(isAtRest(world), "busy again");
    },
  },

  "if nodes run their pods, every Job ends": {
    aftermath: (world) => {
      if (world.job.metadata.deletionTimestamp !== undefined) return;
      world.edit({ suspend: false });
      if (world.job.spec.parallelism === 0) scale(world, 2);
      for (let round = 0; round < 40 && !isFinished(world.job); round++) {
        for (const [uid, pod] of [...world.pods]) world.endPod(uid, isGoing(pod) ? 143 : 0);
        world.sync();
        world.nowMs += 601_000;
      }
      assert.ok(isFinished(world.job), "not finished after forty syncs");
    },
  },
};

function plannedBy({ decision }: Sync): readonly PlannedPod[] {
  return decision.podChanges.kind === "create" ? decision.podChanges.pods : [];
}

/**
 * A sync deletes or creates a limited number of pods. At most all active pods have to be deleted,
 * and then as many created as may run. Three more syncs announce the end, stop the created pods and
 * finish.
 */
function syncsToRest({ job, pods }: JobWorld): number {
  const { parallelism = 1, completions = parallelism } = job.spec;
  const { active } = recount({ job, pods: new Map(pods) });
  const syncsFor = (count: number) => Math.ceil(count / PODS_PER_SYNC);
  return syncsFor(active.length) + syncsFor(Math.min(parallelism, completions)) + 3;
}

/** Runs one sync without failures; returns whether there was nothing to do. */
function isAtRest(world: JobWorld): boolean {
  const { status } = world.job;
  const sync = world.sync();
  if (!sync) return true;
  const { podChanges } = sync.decision;
  const hasPlan = "pods" in podChanges && podChanges.pods.length > 0;
  const hasReleases = sync.composed.releases.pods.length > 0;
  const isWritten = sync.written.some((each) => JSON.stringify(each) !== JSON.stringify(status));
  return !hasPlan && !hasReleases && !isWritten;
}

/** When the index may get its next pod: computed from its failed pod that is kept until then. */
function untilReplacedMs(sync: Sync, index: number): number {
  if (sync.job.spec.backoffLimitPerIndex === undefined) return 0;
  const failed = findRetained(sync, index);
  if (!failed) return 0;
  const { counted, ignored } = failuresBefore(failed);
  return endMs(failed) + backoffMs(BACKOFF, counted + ignored + 1);
}

/** If two pods have the same counts and ended at the same moment, the choice is deterministic. */
function findRetained({ job, pods }: Sync, index: number): Pod | undefined {
  const failed = [...pods.values()].filter(
    (pod) => indexOf(pod) === index && isTracked(pod) && isFailure(job, pod),
  );
  return failed.sort(
    (one, other) =>
      sumOf(other) - sumOf(one) ||
      endMs(other) - endMs(one) ||
      (uidOf(one) < uidOf(other) ? 1 : -1),
  )[0];
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

function sumOf(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

interface Failures {
  failures: number;
  lastMs: number;
  restarts: number;
}

/**
 * Counts failures since the last success, from the pods whose end no earlier sync has seen. After a
 * restart the count starts again from the pods that still exist, including released ones that are
 * not being deleted: there may have been more failures.
 */
function learn(record: Failures, told: Set<string>, { job, pods, restarts }: Sync): void {
  const isNew = restarts > record.restarts;
  if (isNew) {
    Object.assign(record, { failures: 0, lastMs: 0, restarts });
    told.clear();
  }
  const news = [...pods.values()].filter(
    (pod) =>
      (isTracked(pod) || (isNew && !isGoing(pod))) &&
      (isOver(pod) || isFailure(job, pod)) &&
      !told.has(pod.metadata.uid ?? ""),
  );
  for (const { metadata } of news) told.add(metadata.uid ?? "");
  const placed = news.filter((pod) => isInPlace(job, pod));
  const successes = placed.filter(({ status }) => status.phase === "Succeeded").map(endMs);
  const failures = placed.filter((pod) => isFailure(job, pod)).map(endMs);
  if (successes.length > 0) record.failures = 0;
  for (const ms of failures) {
    if (ms <= Math.max(...successes)) continue;
    record.failures++;
    record.lastMs = Math.max(record.lastMs, ms);
  }
}

function endMs({ metadata, status }: Pod): number {
  const finishedAt = status.containerStatuses?.[0]?.state.terminated?.finishedAt;
  return millisecondsOf(finishedAt ?? metadata.deletionTimestamp ?? "");
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isGone(pod: Pod | undefined): boolean {
  return pod === undefined || isGoing(pod);
}
