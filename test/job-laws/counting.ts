/** Laws about how a Job counts and ends, whatever happens to it, its pods and its controller. */
import assert from "node:assert/strict";
import type { Job, JobStatus } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import type { Draft } from "../../src/api/object.ts";
import { millisecondsOf } from "../../src/api/time.ts";
import { decideJob } from "../../src/controllers/job/decide.ts";
import { openScoreboard, settleBoard } from "../../src/controllers/job/scoreboard.ts";
import { composeStatus } from "../../src/controllers/job/status.ts";
import { jobKind } from "../../src/kinds/job/kind.ts";
import { describeBoard, freshBoard, isSameBoard } from "./boards.ts";
import type { Laws } from "./law.ts";
import {
  actionFor,
  isFailure,
  isIgnored,
  isIndexed,
  isInPlace,
  readIndexes,
  recount,
} from "./recount.ts";
import { BACKOFF, isTracked, type Sync } from "./world.ts";

export const COUNTING_LAWS: Laws = {
  "a scoreboard updated pod by pod equals one that is opened anew": (sync) => {
    const fresh = freshBoard(sync);
    if (isSameBoard(sync.board, fresh)) return;
    assert.fail(`expected:\n${describeBoard(fresh)}\nfound:\n${describeBoard(sync.board)}`);
  },

  "a decision uses the existing pods and the status, counted by the policies": (sync) => {
    const { active, terminating, succeeded, failed } = recount(sync);
    const { ready: _ready, ...tally } = sync.decision.tally;
    assert.deepEqual(tally, {
      active: active.length,
      terminating: terminating.length,
      succeeded,
      failed,
    });
  },

  "every end of a pod is counted once, however often the controller is interrupted": {
    afresh: () => {
      const named = { succeeded: new Set<string>(), failed: new Set<string>() };
      return ({ job, written }) => {
        for (const status of written) {
          const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
          assert.equal(new Set([...succeeded, ...failed]).size, succeeded.length + failed.length);
          for (const uid of succeeded) named.succeeded.add(uid);
          for (const uid of failed) named.failed.add(uid);
          assert.equal((status.failed ?? 0) + failed.length, named.failed.size);
          const successes = isIndexed(job) ? 0 : (status.succeeded ?? 0) + succeeded.length;
          assert.equal(named.succeeded.size, successes);
          for (const uid of named.succeeded) assert.ok(!named.failed.has(uid), `${uid} is both`);
        }
      };
    },
  },

  "a pod is released only when the status has counted its end": {
    afresh: () => {
      const named = new Set<string>();
      return ({ job, pods, left, written }) => {
        for (const { uncountedTerminatedPods: uncounted = {} } of written) {
          for (const uid of uncounted.succeeded ?? []) named.add(uid);
          for (const uid of uncounted.failed ?? []) named.add(uid);
        }
        const completed = readIndexes(job, written[0]?.completedIndexes);
        for (const [uid, pod] of pods) {
          const now = left.get(uid);
          if (!isTracked(pod) || (now && isTracked(now)) || !isInPlace(job, pod)) continue;
          const isCounted = named.has(uid) || isCompleted(pod, completed, job);
          assert.ok(isCounted || !isCountable(job, pod), `${uid} is released and not counted`);
        }
      };
    },
  },

  "only failures that no rule ignores, and pods that a failed Job stops, count as failed": ({
    job,
    pods,
    composed,
  }) => {
    const isFailing = composed.verdict?.type === "FailureTarget";
    for (const uid of composed.releases.failed) {
      const pod = pods.get(uid);
      if (!pod) throw new Error(`${uid} is not there`);
      assert.notEqual(pod.status.phase, "Succeeded");
      assert.ok(isInPlace(job, pod), `${uid} has no index of the Job`);
      if (isFailure(job, pod)) assert.ok(!isIgnored(job, pod), `${uid} is to be ignored`);
      else assert.ok(isFailing, `${uid} has not failed`);
    }
  },

  "the succeeded count of an Indexed Job is the number of its completed indexes": ({
    job,
    written,
  }) => {
    for (const status of written) {
      if (!isIndexed(job)) assert.equal(status.completedIndexes, undefined);
      else assert.equal(status.succeeded ?? 0, readIndexes(job, status.completedIndexes).size);
    }
  },

  "a completed index stays completed unless the Job is scaled down": ({ job, written }) => {
    let before = readIndexes(job, job.status.completedIndexes);
    for (const status of written) {
      const now = readIndexes(job, status.completedIndexes);
      for (const index of before) assert.ok(now.has(index), `${index} is no longer completed`);
      for (const index of readIndexes(job, status.failedIndexes)) {
        assert.ok(!now.has(index), `${index} is both completed and failed`);
      }
      before = now;
    }
  },

  "the first reason that applies ends a Job, failures before successes": (sync) => {
    const { verdict } = sync.decision;
    assert.equal(verdict && `${verdict.type} ${verdict.reason}`, expectedEnd(sync));
  },

  "a Job is complete when enough pods have succeeded and no active pod is left": (sync) => {
    const { job, composed, decision, left } = sync;
    if (decision.verdict) return;
    const { succeeded } = recount(sync);
    const isEnough = succeeded >= (job.spec.completions ?? 1);
    const isIdle = recount({ job, pods: left }).active.length === 0;
    assert.equal(composed.verdict?.reason, isEnough && isIdle ? "CompletionsReached" : undefined);
  },

  "an announced end does not change: same reason, no new pods, no condition removed": {
    afresh: () => {
      let announced: string | undefined;
      return ({ decision, written }) => {
        if (announced !== undefined) {
          assert.equal(`${decision.verdict?.type} ${decision.verdict?.reason}`, announced);
          assert.equal(decision.podChanges.kind, "terminate");
        }
        for (const status of written) {
          const interim =
            findTrue(status, "FailureTarget") ?? findTrue(status, "SuccessCriteriaMet");
          if (announced !== undefined) assert.equal(nameOf(interim), announced);
          announced = nameOf(interim);
          const final = findTrue(status, "Failed") ?? findTrue(status, "Complete");
          if (!final) continue;
          assert.equal(final.reason, interim?.reason);
          assert.equal(final.message, interim?.message);
          assert.equal(final.type, interim?.type === "FailureTarget" ? "Failed" : "Complete");
        }
      };
    },
  },

  "a Job is finished only when no pod runs, terminates or waits to be counted": ({
    job,
    written,
    left,
  }) => {
    const last = written.at(-1);
    if (!last || !(findTrue(last, "Failed") ?? findTrue(last, "Complete"))) return;
    const { active, terminating } = recount({ job, pods: left });
    assert.deepEqual([active.length, terminating.length], [0, 0]);
    assert.deepEqual([...left.values()].filter(isTracked), []);
    assert.deepEqual(last.uncountedTerminatedPods, {});
  },

  "the API accepts every status": ({ job, written }) => {
    // A Job that was never started can only be completed by a pod that a user added.
    if (job.spec.suspend && job.status.startTime === undefined) return;
    let before = job;
    for (const status of written) {
      const next: Job = { ...before, status };
      assert.deepEqual(jobKind.rules.validateStatusUpdate?.(next as Draft<Job>, before), []);
      before = next;
    }
  },

  "a suspended Job has no start time, unless it ends": ({ job, decision, composed, written }) => {
    const isLeft = job.metadata.deletionTimestamp !== undefined;
    if (!job.spec.suspend || isLeft || decision.verdict || composed.verdict) return;
    for (const { startTime } of written) assert.equal(startTime, undefined);
  },

  "a status counts the pods as they are after the sync": (sync) => {
    const [status] = sync.written;
    if (!status || !sync.isWhole) return;
    const { active, terminating } = recount(sync);
    const created = [...sync.left.keys()].filter((uid) => !sync.pods.has(uid));
    const removed = active.filter(({ metadata }) => {
      const now = sync.left.get(metadata.uid ?? "");
      return now === undefined || now.metadata.deletionTimestamp !== undefined;
    });
    assert.equal(status.active ?? 0, active.length + created.length - removed.length);
    assert.equal(status.terminating, terminating.length + removed.length);
  },

  "another sync does not change a finished Job": {
    aftermath: ({ job, pods, nowMs }) => {
      const final = findTrue(job.status, "Failed") ?? findTrue(job.status, "Complete");
      if (!final) return;
      const board = openScoreboard(job, pods.values());
      settleBoard(board);
      const observation = { job, board, nowMs: nowMs + 1_000_000, backoff: BACKOFF };
      const decision = decideJob(observation);
      assert.equal(decision.podChanges.kind, "terminate");
      const changed = { created: 0, removed: board.active.size, removedReady: 0, errors: [] };
      const { status } = composeStatus(observation, decision, changed);
      assert.deepEqual(status.conditions, job.status.conditions);
    },
  },
};

/** Whether the pod must be counted before it is released. */
function isCountable(job: Job, pod: Pod): boolean {
  if (job.metadata.deletionTimestamp !== undefined) return false;
  if (pod.status.phase === "Succeeded") return true;
  // Once success is announced, terminating pods end because of it.
  if (findTrue(job.status, "SuccessCriteriaMet") && pod.status.phase !== "Failed") return false;
  return isFailure(job, pod) && !isIgnored(job, pod);
}

function isCompleted(pod: Pod, completed: ReadonlySet<number>, job: Job): boolean {
  const index = pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
  return isIndexed(job) && pod.status.phase === "Succeeded" && completed.has(Number(index));
}

/** The table of reasons to end a Job, in its order. */
function expectedEnd(sync: Sync): string | undefined {
  const { job, pods, nowMs } = sync;
  const { spec, status } = job;
  const { succeeded, failed, completed, failedIndexes, active, terminating } = recount(sync);
  const interim = findTrue(status, "SuccessCriteriaMet") ?? findTrue(status, "FailureTarget");
  if (interim) return nameOf(interim);
  const isFatal = [...pods.values()].some(
    (pod) => isFailure(job, pod) && actionFor(job, pod) === "FailJob",
  );
  if (isFatal) return "FailureTarget PodFailurePolicy";
  const limit = spec.backoffLimit ?? 6;
  const restarts = [...active, ...terminating]
    .flatMap((pod) => pod.status.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const isWornOut =
    spec.template.spec.restartPolicy === "OnFailure" && restarts > 0 && restarts >= limit;
  if (failed > limit || isWornOut) return "FailureTarget BackoffLimitExceeded";
  if (isPastDeadline(job, nowMs)) return "FailureTarget DeadlineExceeded";
  const most = spec.maxFailedIndexes ?? Number.POSITIVE_INFINITY;
  if (failedIndexes.size > most) return "FailureTarget MaxFailedIndexesExceeded";
  const ended = failedIndexes.size + completed.size;
  if (failedIndexes.size > 0 && ended >= (spec.completions ?? 0)) {
    return "FailureTarget FailedIndexes";
  }
  const isMet = spec.successPolicy?.rules?.some(({ succeededIndexes, succeededCount }) => {
    const asked = readIndexes(job, succeededIndexes);
    const has = [...asked].filter((index) => completed.has(index)).length;
    const done = succeededIndexes === undefined ? succeeded : has;
    const isAll = succeededIndexes !== undefined && asked.size > 0 && has === asked.size;
    return completed.size > 0 && (isAll || done >= (succeededCount ?? Number.POSITIVE_INFINITY));
  });
  return isMet ? "SuccessCriteriaMet SuccessPolicy" : undefined;
}

function isPastDeadline({ spec, status }: Job, nowMs: number): boolean {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend) return false;
  const startMs = status.startTime === undefined ? nowMs : millisecondsOf(status.startTime);
  return nowMs - startMs >= spec.activeDeadlineSeconds * 1000;
}

function findTrue({ conditions = [] }: JobStatus, wanted: string) {
  return conditions.find(({ type, status }) => type === wanted && status === "True");
}

function nameOf(condition: ReturnType<typeof findTrue>): string | undefined {
  return condition && `${condition.type} ${condition.reason}`;
}
