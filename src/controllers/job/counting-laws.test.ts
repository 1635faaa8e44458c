/** Laws of how a Job counts and ends, whatever happens to it, its pods and its controller. */
import { expect } from "vitest";
import { testAftermath, testLaws } from "../../../test/builders/job-laws.ts";
import {
  actionFor,
  describeBoard,
  isFailure,
  isIgnored,
  isIndexed,
  isInPlace,
  readIndexes,
  recount,
} from "../../../test/builders/job-recount.ts";
import { BACKOFF, isTracked, type Sync } from "../../../test/builders/job-world.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { millisecondsOf } from "../../api/time.ts";
import { jobKind } from "../../kinds/job/kind.ts";
import { decideJob } from "./decide.ts";
import { openScoreboard, settleBoard } from "./scoreboard.ts";
import { composeStatus } from "./status.ts";

testLaws({
  "a board kept up to date pod by pod is the board opened anew": ({ job, pods, board }) => {
    const fresh = openScoreboard(job, pods.values());
    settleBoard(fresh);
    expect(describeBoard(board)).toBe(describeBoard(fresh));
  },

  "a decision is made from the pods there are and the status, counted by the policies": (sync) => {
    const { active, terminating, succeeded, failed } = recount(sync);
    expect(sync.decision.tally).toMatchObject({
      active: active.length,
      terminating: terminating.length,
      succeeded,
      failed,
    });
  },

  "every end is counted once, however often the controller is cut short": {
    afresh: () => {
      const named = { succeeded: new Set<string>(), failed: new Set<string>() };
      return ({ job, written }) => {
        for (const status of written) {
          const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
          expect(new Set([...succeeded, ...failed]).size).toBe(succeeded.length + failed.length);
          for (const uid of succeeded) named.succeeded.add(uid);
          for (const uid of failed) named.failed.add(uid);
          expect((status.failed ?? 0) + failed.length).toBe(named.failed.size);
          if (isIndexed(job)) expect(named.succeeded.size).toBe(0);
          else expect((status.succeeded ?? 0) + succeeded.length).toBe(named.succeeded.size);
          for (const uid of named.succeeded) expect(named.failed).not.toContain(uid);
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
          expect(isCounted || !isCountable(job, pod)).toBe(true);
        }
      };
    },
  },

  "the failed pods are those that failed and no rule ignored, and those a failed Job stopped": ({
    job,
    pods,
    composed,
  }) => {
    const isFailing = composed.verdict?.type === "FailureTarget";
    for (const uid of composed.releases.failed) {
      const pod = pods.get(uid);
      if (!pod) throw new Error(`${uid} is not there`);
      expect(pod.status.phase).not.toBe("Succeeded");
      expect(isInPlace(job, pod)).toBe(true);
      if (isFailure(job, pod)) expect(isIgnored(job, pod)).toBe(false);
      else expect(isFailing).toBe(true);
    }
  },

  "what an Indexed Job has succeeded in is the number of its completed indexes": ({
    job,
    written,
  }) => {
    for (const status of written) {
      if (!isIndexed(job)) expect(status.completedIndexes).toBeUndefined();
      else expect(status.succeeded ?? 0).toBe(readIndexes(job, status.completedIndexes).size);
    }
  },

  "what is completed stays completed as long as the Job is as large": ({ job, written }) => {
    let before = readIndexes(job, job.status.completedIndexes);
    for (const status of written) {
      const now = readIndexes(job, status.completedIndexes);
      for (const index of before) expect(now).toContain(index);
      for (const index of readIndexes(job, status.failedIndexes)) expect(now).not.toContain(index);
      before = now;
    }
  },

  "the first reason that applies ends a Job, failures before successes": (sync) => {
    const { verdict } = sync.decision;
    expect(verdict && `${verdict.type} ${verdict.reason}`).toBe(expectedEnd(sync));
  },

  "a Job is complete when enough pods have succeeded and none is left": (sync) => {
    const { job, composed, decision, left } = sync;
    if (decision.verdict) return;
    const { succeeded } = recount(sync);
    const isEnough = succeeded >= (job.spec.completions ?? 1);
    const isIdle = recount({ job, pods: left }).active.length === 0;
    expect(composed.verdict?.reason).toBe(isEnough && isIdle ? "CompletionsReached" : undefined);
  },

  "an end that was announced is the end: the same reason, no new pod, nothing taken back": {
    afresh: () => {
      let announced: string | undefined;
      return ({ decision, written }) => {
        if (announced !== undefined) {
          expect(`${decision.verdict?.type} ${decision.verdict?.reason}`).toBe(announced);
          expect(decision.podChanges.kind).toBe("terminate");
        }
        for (const status of written) {
          const interim =
            findTrue(status, "FailureTarget") ?? findTrue(status, "SuccessCriteriaMet");
          if (announced !== undefined) expect(nameOf(interim)).toBe(announced);
          announced = nameOf(interim);
          const final = findTrue(status, "Failed") ?? findTrue(status, "Complete");
          if (!final) continue;
          expect(final).toMatchObject({ reason: interim?.reason, message: interim?.message });
          expect(final.type).toBe(interim?.type === "FailureTarget" ? "Failed" : "Complete");
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
    expect([active.length, terminating.length]).toEqual([0, 0]);
    expect([...left.values()].filter(isTracked)).toEqual([]);
    expect(last.uncountedTerminatedPods).toEqual({});
  },

  "every status is one that the API accepts": ({ job, written }) => {
    // Nothing but a stranger's pod can complete a Job that was never started.
    if (job.spec.suspend && job.status.startTime === undefined) return;
    let before = job;
    for (const status of written) {
      const next: Job = { ...before, status };
      expect(jobKind.rules.validateStatusUpdate?.(next as Draft<Job>, before)).toEqual([]);
      before = next;
    }
  },

  "a status tells the pods as the sync changed them": (sync) => {
    const [status] = sync.written;
    if (!status || !sync.isWhole) return;
    const { active, terminating } = recount(sync);
    const created = [...sync.left.keys()].filter((uid) => !sync.pods.has(uid));
    const removed = active.filter(({ metadata }) => {
      const now = sync.left.get(metadata.uid ?? "");
      return now === undefined || now.metadata.deletionTimestamp !== undefined;
    });
    expect(status.active ?? 0).toBe(active.length + created.length - removed.length);
    expect(status.terminating).toBe(terminating.length + removed.length);
  },
});

testAftermath("a finished Job that is looked at again stays as it is", ({ job, pods, nowMs }) => {
  const final = findTrue(job.status, "Failed") ?? findTrue(job.status, "Complete");
  if (!final) return;
  const board = openScoreboard(job, pods.values());
  settleBoard(board);
  const observation = { job, board, nowMs: nowMs + 1_000_000, backoff: BACKOFF };
  const decision = decideJob(observation);
  expect(decision.podChanges.kind).toBe("terminate");
  const changed = { created: 0, removed: board.active.size, removedReady: 0, errors: [] };
  const { status } = composeStatus(observation, decision, changed);
  expect(status.conditions).toEqual(job.status.conditions);
});

/** Whether the pod must be counted before it is let go. */
function isCountable(job: Job, pod: Pod): boolean {
  if (job.metadata.deletionTimestamp !== undefined) return false;
  if (pod.status.phase === "Succeeded") return true;
  // Once a success is announced, pods that terminate do so because of it.
  if (findTrue(job.status, "SuccessCriteriaMet") && pod.status.phase !== "Failed") return false;
  return isFailure(job, pod) && !isIgnored(job, pod);
}

function isCompleted(pod: Pod, completed: ReadonlySet<number>, job: Job): boolean {
  const index = pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
  return isIndexed(job) && pod.status.phase === "Succeeded" && completed.has(Number(index));
}

/** The table of ends, in its order. */
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
