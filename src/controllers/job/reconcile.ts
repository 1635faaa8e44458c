/**
 * One sync of a Job: the only place that waits, in this order.
 *
 *     observe -> decide -> change pods -> compose status -> write -> release -> settle -> write
 *
 * Reading order of the folder: this file, observe with scoreboard and index-set, decide with tally,
 * verdict and pod-changes, status with releases, then job-controller, which wakes it all. The
 * controller knows no server: everything goes through the Client.
 */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { jobs } from "../../api/resources.ts";
import type { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cache } from "../../client/cache.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import { changePods, releasePods } from "./change-pods.ts";
import { claimPods } from "./claim-pods.ts";
import { decideJob, type JobDecision } from "./decide.ts";
import type { CreationReason, JobMetrics, SyncAction } from "./job-metrics.ts";
import type { JobMemory } from "./memory.ts";
import { observe } from "./observe.ts";
import { findUnseen, noteWrite } from "./own-writes.ts";
import type { PodChanges } from "./pod-changes.ts";
import { composeStatus, type PodsChanged, settleStatus } from "./status.ts";
import type { Verdict } from "./verdict.ts";

export interface JobSync {
  readonly client: Client;
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly metrics: JobMetrics;
  readonly backoff: Backoff;
}

/** The event that shows what was missed wakes the Job before; this is for one lost to a relist. */
const LOOK_AGAIN_MS = 1_000;

/** The least age at which a Job ends. */
const FIRST_END_MS = 500;

export async function syncJob(sync: JobSync, job: Job, memory: JobMemory): Promise<Outcome> {
  const { clock, metrics } = sync;
  const behind = findUnseen(memory.writes, job.metadata.namespace ?? "", sync);
  if (behind) {
    metrics.staleSkips.add({ group: behind === "jobs" ? "batch" : "", resource: behind });
    return after(LOOK_AGAIN_MS);
  }
  const startMs = clock.monotonicMs();
  const progress: Progress = { action: "reconciling" };
  const measure = (result: "success" | "error") => {
    memory.lastSyncMs = clock.monotonicMs() - startMs;
    metrics.synced(job, result, progress.action, memory.lastSyncMs / 1000);
  };
  try {
    const outcome = await performSync(sync, job, memory, progress);
    measure("success");
    return outcome;
  } catch (error) {
    measure("error");
    throw error;
  }
}

/** For the metrics: what a sync that fails had come to. */
interface Progress {
  action: SyncAction;
}

async function performSync(
  sync: JobSync,
  job: Job,
  memory: JobMemory,
  progress: Progress,
): Promise<Outcome> {
  const { client, pods, clock, recorder, backoff } = sync;
  const hands = { client, recorder, writes: memory.writes };
  const { board, claims } = observe(memory, job, pods);
  if (claims.adopted.length + claims.released.length > 0) {
    await claimPods(client, memory.writes, job, claims);
    memory.claimable.clear();
    return after(0);
  }
  const observation = { job, board, nowMs: clock.nowMs(), backoff };
  const decision = decideJob(observation);

  const changed = await changePods(hands, job, decision.podChanges);
  progress.action = actionOf(decision.podChanges);
  reportCreation(sync, job, decision, changed);

  const composed = composeStatus(observation, decision, changed);
  const waitMs = composed.verdict ? untilFirstEndMs(sync, job, memory) : 0;
  if (waitMs > 0) return after(waitMs);
  const named = await writeStatus(sync, memory, job, composed.status);
  const { releases, suspension } = composed;
  if (suspension) recorder.event(job, "Normal", suspension, `Job ${suspension.toLowerCase()}`);
  for (const action of releases.actions) sync.metrics.failureActions.add({ action });

  const released = await releasePods(hands, releases.pods);
  const settled = settleStatus(composed, released.uids, clock.nowMs());
  await writeStatus(sync, memory, named, settled.status);
  if (settled.finished) reportFinish(sync, job, settled.status, settled.finished);

  const [error] = [...changed.errors, ...released.errors];
  if (error) throw error;
  if (releases.hasMore) return after(0);
  return decision.againInMs === undefined ? done : after(decision.againInMs);
}

/**
 * A Job with nothing to run ends in its first sync, in no time. It is given a moment, so that
 * whoever creates it and then begins to watch is told how it ends.
 */
function untilFirstEndMs({ clock }: JobSync, { status }: Job, { sinceMs }: JobMemory): number {
  const isFirst = status.uncountedTerminatedPods === undefined;
  return isFirst ? sinceMs + FIRST_END_MS - clock.monotonicMs() : 0;
}

async function writeStatus(
  { client, metrics }: JobSync,
  memory: JobMemory,
  job: Job,
  status: JobStatus,
): Promise<Job> {
  if (isEqual(status, job.status)) return job;
  const written = await client.updateStatus(jobs, { ...job, status });
  noteWrite(memory.writes, "jobs", written);
  const { completedIndexes: completed = "", failedIndexes: failed = "" } = written.status;
  const failedCount = memory.board?.failed.size ?? 0;
  const failedGrowth = failedCount - memory.basis.failedCount;
  metrics.statusWritten(job, job.status, written.status, failedGrowth);
  memory.basis = { ...memory.basis, completed, failed, failedCount };
  return written;
}

function actionOf({ kind }: PodChanges): SyncAction {
  switch (kind) {
    case "keep":
      return "tracking";
    case "create":
    case "wait":
      return "pods_created";
    case "remove":
      return "pods_deleted";
    default:
      return "reconciling";
  }
}

function reportCreation(
  { metrics }: JobSync,
  { spec }: Job,
  { podChanges, tally }: JobDecision,
  { created, errors }: PodsChanged,
): void {
  if (podChanges.kind !== "create") return;
  const isAgain = tally.failed > 0 || tally.terminating > 0;
  let reason: CreationReason = isAgain ? "recreate_terminating_or_failed" : "new";
  if (spec.podReplacementPolicy === "Failed" && tally.failed > 0) reason = "recreate_failed";
  metrics.podsCreated(reason, created + errors.length, errors.length);
}

function reportFinish(
  { recorder, metrics }: JobSync,
  job: Job,
  { succeeded = 0 }: JobStatus,
  { type, reason, message }: Verdict,
): void {
  if (type === "FailureTarget") {
    recorder.event(job, "Warning", reason, message);
    metrics.finished(job, "failed", reason);
    return;
  }
  const { completions } = job.spec;
  if (completions !== undefined && succeeded > completions) {
    recorder.event(job, "Warning", "TooManySucceededPods", TOO_MANY);
  }
  recorder.event(job, "Normal", "Completed", "Job completed");
  metrics.finished(job, "succeeded", reason);
}

const TOO_MANY = "Too many succeeded pods running after completion count reached";
