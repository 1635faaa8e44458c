/**
 * One sync of a Job. This is the only place that waits for the server, in this order:
 *
 *     observe -> decide -> change pods -> compose status -> write -> release -> settle -> write
 *
 * There is one exception: when a Job ends, the status that announces the end is written before the
 * pods are stopped.
 *
 * Reading order of the folder: this file, observe with scoreboard, decide with tally, verdict and
 * pod-changes, status with releases, then job-controller, which triggers syncs. Tally's additions
 * to Jobs are in annotations, reruns and notes, and can be read last. The controller does not know
 * the server: all access goes through the Client.
 */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { jobs } from "../../api/resources.ts";
import type { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cache } from "../../client/cache.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import {
  backoffOf,
  complaintsOf,
  completedBefore,
  isIncomprehensible,
  wishesOf,
} from "./annotations.ts";
import { findBackoffNotice } from "./backoff-notice.ts";
import { changePods, releasePods } from "./change-pods.ts";
import { claimPods } from "./claim-pods.ts";
import { decideJob, type JobDecision } from "./decide.ts";
import { shownStatus, withEarlierEnd } from "./gates.ts";
import type { CreationReason, JobMetrics, SyncAction } from "./job-metrics.ts";
import type { JobMemory } from "./memory.ts";
import { composeNotes } from "./notes.ts";
import { observe } from "./observe.ts";
import { findUnseen, noteWrite } from "./own-writes.ts";
import type { PodChanges } from "./pod-changes.ts";
import { acknowledgeRequest, isRerunning, RERUN_IGNORED } from "./reruns.ts";
import type { Scoreboard } from "./scoreboard.ts";
import {
  type ComposedStatus,
  composeStatus,
  foreseeStops,
  type PodsChanged,
  settleStatus,
  tellsCountsAlone,
} from "./status.ts";
import type { Verdict } from "./verdict.ts";
import { type Dressed, dressPods, hasWorkList } from "./work-list.ts";

export interface JobSync {
  readonly client: Client;
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly metrics: JobMetrics;
  readonly backoff: Backoff;
  readonly podsPerSync: number;
  readonly countsDelayMs: number;
  readonly gates: FeatureGates;
}

/**
 * Normally the event that the cache was waiting for triggers the next sync earlier. This delay
 * covers events that were lost in a relist.
 */
const LOOK_AGAIN_MS = 1_000;

/** The minimum age at which a Job may end. */
const FIRST_END_MS = 1_000;

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

/** For metrics: how far a sync came before it failed. */
interface Progress {
  action: SyncAction;
}

async function performSync(
  sync: JobSync,
  job: Job,
  memory: JobMemory,
  progress: Progress,
): Promise<Outcome> {
  const { client, pods, clock, recorder, podsPerSync, gates } = sync;
  answerAnnotations(recorder, memory, job);
  if (isIncomprehensible(job)) return done;
  const { board, claims } = observe(memory, job, pods);
  if (claims.adopted.length + claims.released.length > 0) {
    await claimPods(client, memory.writes, job, claims);
    memory.claimable.clear();
    return after(0);
  }
  const backoff = backoffOf(job, sync.backoff);
  const { startTime } = memory.unwritten ?? {};
  const began = startTime === undefined ? {} : { startTime };
  const observation = { job, board, nowMs: clock.nowMs(), backoff, podsPerSync, ...began };
  const decided = decideJob(observation);
  tellOfBackoff(recorder, memory, job, decided, observation.nowMs);
  const dressed: Dressed = hasWorkList(job)
    ? await addItems(sync, memory, job, decided)
    : { decision: decided };
  const { decision, dress } = dressed;
  const hands = { client, recorder, writes: memory.writes, gates, ...(dress ? { dress } : {}) };

  const foreseen = foreseeStops(job, decision);
  const changed = foreseen ?? (await changePods(hands, job, decision.podChanges));
  progress.action = actionOf(decision.podChanges);
  reportCreation(sync, job, decision, changed);

  const composed = withEarlierEnd(composeStatus(observation, decision, changed), job, gates);
  const waitMs = composed.verdict ? untilFirstEndMs(sync, job, memory) : 0;
  if (waitMs > 0) return after(waitMs);
  const noted = await writeNotes(sync, memory, job, board);
  const delayMs = changed.errors.length > 0 ? 0 : postponeMs(sync, memory, job, composed);
  if (delayMs > 0) return after(Math.min(delayMs, decision.againInMs ?? delayMs));
  const named = await writeStatus(sync, memory, noted, composed.status);
  const { releases, suspension } = composed;
  if (suspension) recorder.event(job, "Normal", suspension, `Job ${suspension.toLowerCase()}`);
  for (const action of releases.actions) sync.metrics.failureActions.add({ action });
  if (foreseen) throwFirst((await changePods(hands, job, decision.podChanges)).errors);

  const released = await releasePods(hands, releases.pods);
  const settled = settleStatus(composed, released.uids, clock.nowMs());
  await writeStatus(sync, memory, named, settled.status);
  if (settled.finished) reportFinish(sync, job, settled.status, settled.finished);
  if (settled.finished && isRerunning(board)) recorder.event(job, "Warning", ...RERUN_IGNORED);

  throwFirst([...changed.errors, ...released.errors]);
  if (releases.hasMore) return after(0);
  return decision.againInMs === undefined ? done : after(decision.againInMs);
}

async function addItems(
  { client, recorder }: JobSync,
  memory: JobMemory,
  job: Job,
  decision: JobDecision,
): Promise<Dressed> {
  const dressed = await dressPods(client, job, memory, decision);
  const { complaint } = dressed;
  if (complaint !== undefined) recorder.event(job, "Warning", "WorkListUnavailable", complaint);
  return dressed;
}

/** Records one event per wait, although syncs are more frequent. */
function tellOfBackoff(
  recorder: EventRecorder,
  memory: JobMemory,
  job: Job,
  { podChanges }: JobDecision,
  nowMs: number,
): void {
  const notice = findBackoffNotice(podChanges, nowMs, memory.toldWaitMs);
  if (!notice) return;
  memory.toldWaitMs = notice.untilMs;
  recorder.event(job, "Normal", "BackOff", notice.message);
}

function throwFirst([error]: readonly unknown[]): void {
  if (error !== undefined) throw error;
}

function answerAnnotations(recorder: EventRecorder, memory: JobMemory, job: Job): void {
  const wishes = wishesOf(job);
  if (wishes === memory.heard) return;
  memory.heard = wishes;
  for (const { reason, message } of complaintsOf(job)) {
    recorder.event(job, "Warning", reason, message);
  }
}

/**
 * A Job with nothing to run would end in its first sync. Its end is delayed a little, so that a
 * client that creates the Job and then starts a watch sees it end.
 */
function untilFirstEndMs({ clock }: JobSync, { status }: Job, memory: JobMemory): number {
  const { sinceMs, unwritten } = memory;
  const isFirst = status.uncountedTerminatedPods === undefined && !unwritten;
  return isFirst ? sinceMs + FIRST_END_MS - clock.monotonicMs() : 0;
}

/**
 * How long a status update that only changes pod counts may be delayed, so that it can be combined
 * with the next update.
 */
function postponeMs(
  { clock, countsDelayMs }: JobSync,
  memory: JobMemory,
  { status }: Job,
  composed: ComposedStatus,
): number {
  if (countsDelayMs === 0 || isEqual(composed.status, status)) return 0;
  if (!tellsCountsAlone(status, composed)) return 0;
  const { startTime } = composed.status;
  const began = startTime === undefined ? {} : { startTime };
  memory.unwritten ??= { sinceMs: clock.monotonicMs(), ...began };
  return memory.unwritten.sinceMs + countsDelayMs - clock.monotonicMs();
}

/**
 * The patch contains the resourceVersion of the observed Job, so that annotations which somebody
 * changed since are not overwritten.
 */
async function writeNotes(
  { client, clock }: JobSync,
  { writes }: JobMemory,
  job: Job,
  board: Scoreboard,
): Promise<Job> {
  const annotations = composeNotes(job, board, clock.nowMs());
  if (!annotations) return job;
  const { namespace = "", name = "", resourceVersion } = job.metadata;
  const body = { metadata: { resourceVersion, annotations } };
  const written = await client.patch(jobs, { namespace, name }, { type: "merge", body });
  noteWrite(writes, "jobs", written);
  acknowledgeRequest(board, written);
  return written;
}

async function writeStatus(
  { client, metrics, gates }: JobSync,
  memory: JobMemory,
  job: Job,
  composed: JobStatus,
): Promise<Job> {
  const status = shownStatus(composed, gates);
  delete memory.unwritten;
  if (isEqual(status, job.status)) return job;
  const written = await client.updateStatus(jobs, { ...job, status });
  noteWrite(memory.writes, "jobs", written);
  const { completedIndexes: completed = "", failedIndexes: failed = "" } = written.status;
  const failedCount = memory.board?.failed.size ?? 0;
  const failedGrowth = Math.max(0, failedCount - memory.basis.failedCount);
  const { succeeded = completedBefore(job).size } = job.status;
  metrics.statusWritten(job, { ...job.status, succeeded }, written.status, failedGrowth);
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
    case "stop":
      return "pods_deleted";
    default:
      return "reconciling";
  }
}

function reportCreation(
  { metrics, gates }: JobSync,
  { spec }: Job,
  { podChanges, tally }: JobDecision,
  { created, errors }: PodsChanged,
): void {
  if (podChanges.kind !== "create") return;
  const isAgain = gates.JobPodReplacementPolicy && (tally.failed > 0 || tally.terminating > 0);
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
