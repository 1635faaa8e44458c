/**
 * Reconciles one CronJob: deletes old Jobs, checks the state of the active ones, starts the next
 * Job if it is due, and writes the status once.
 */
import type { Client, Name } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import { ApiError, isNamespaceTerminating } from "../../api/errors.ts";
import type { CronJob, CronJobStatus, Job } from "../../api/generated/batch.ts";
import type { ObjectReference } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { cronJobs, jobs } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/describe-error.ts";
import type { Histogram } from "../../base/metrics.ts";
import { findObject, isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import { decide } from "./decide.ts";
import { jobFor } from "./new-job.ts";
import { reviewJobs } from "./review.ts";

export interface Hands {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Measures how late Jobs are started. */
  readonly skew: Histogram;
  readonly localZone: string;
}

export async function reconcile(
  hands: Hands,
  cronJob: CronJob,
  owned: readonly Job[],
): Promise<Outcome> {
  const reviewed = await learn(hands, cronJob, owned);
  const known: CronJob = { ...cronJob, status: reviewed };
  const { nowMs, ...decision } = withTime(hands, known);
  for (const { type, reason, message } of decision.remarks) {
    hands.recorder.event(cronJob, type, reason, message);
  }
  const { startMs } = decision;
  try {
    const status =
      startMs === undefined
        ? reviewed
        : await begin(hands, known, { timeMs: startMs, nowMs, replaces: !!decision.replaces });
    await writeStatus(hands, cronJob, status);
  } catch (error) {
    if (startMs !== undefined) await writeStatus(hands, cronJob, reviewed);
    throw error;
  }
  return decision.againInMs === undefined ? done : after(decision.againInMs);
}

function withTime({ clock, localZone }: Hands, cronJob: CronJob) {
  const nowMs = clock.nowMs();
  return { nowMs, ...decide(cronJob, { nowMs, localZone }) };
}

/** Returns the status, updated with the state of the Jobs. */
async function learn(
  hands: Hands,
  cronJob: CronJob,
  owned: readonly Job[],
): Promise<CronJobStatus> {
  const { recorder } = hands;
  const review = reviewJobs(cronJob, owned);
  const over = new Set<string | undefined>();
  for (const job of review.surplus) {
    if (await deleteJob(hands, cronJob, job)) over.add(job.metadata.uid);
  }
  for (const job of review.unexpected) {
    if (await isKnownByNow(hands, cronJob, job)) continue;
    const name = job.metadata.name;
    const message = `Saw a job that the controller did not create or forgot: ${name}`;
    recorder.event(cronJob, "Warning", "UnexpectedJob", message);
  }
  for (const { job, condition } of review.completed) {
    over.add(job.metadata.uid);
    const message = `Saw completed job: ${job.metadata.name}, condition: ${condition}`;
    recorder.event(cronJob, "Normal", "SawCompletedJob", message);
  }
  for (const reference of review.missing) {
    if (await isThere(hands, reference)) continue;
    over.add(reference.uid);
    recorder.event(cronJob, "Normal", "MissingJob", `Active job went missing: ${reference.name}`);
  }
  const { lastSuccessfulTime } = review;
  const active = (cronJob.status.active ?? []).filter(({ uid }) => !over.has(uid));
  return withActive(
    { ...cronJob.status, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) },
    active,
  );
}

function withActive(status: CronJobStatus, active: readonly ObjectReference[]): CronJobStatus {
  const { active: _before, ...others } = status;
  return active.length > 0 ? { ...others, active } : others;
}

/**
 * Reads the CronJob from the server, because the cache may be older than this controller's last
 * write.
 */
async function isKnownByNow({ client }: Hands, cronJob: CronJob, job: Job): Promise<boolean> {
  const live = await findObject(client, cronJobs, placeOf(cronJob));
  return (live?.status.active ?? []).some(({ uid }) => uid === job.metadata.uid);
}

async function isThere({ client }: Hands, reference: ObjectReference): Promise<boolean> {
  const { namespace = "", name = "" } = reference;
  return (await findObject(client, jobs, { namespace, name })) !== undefined;
}

async function deleteJob(
  { client, recorder }: Hands,
  cronJob: CronJob,
  { metadata }: Job,
): Promise<boolean> {
  const { namespace = "", name = "" } = metadata;
  try {
    await client.delete(jobs, { namespace, name }, { propagationPolicy: "Background" });
  } catch (error) {
    recorder.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${describeError(error)}`);
    return false;
  }
  recorder.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
  return true;
}

interface Start {
  readonly timeMs: number;
  readonly nowMs: number;
  readonly replaces: boolean;
}

/** Returns the status including the new Job. */
async function begin(
  hands: Hands,
  cronJob: CronJob,
  { timeMs, nowMs, replaces }: Start,
): Promise<CronJobStatus> {
  const active = replaces ? await clearAway(hands, cronJob) : (cronJob.status.active ?? []);
  const cleared = withActive(cronJob.status, active);
  const job = await startJob(hands, cronJob, timeMs);
  if (job === undefined) return cleared;
  hands.skew.observe({}, Math.max(0, nowMs - timeMs) / 1000);
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = job.metadata;
  const reference = { kind: "Job", apiVersion: "batch/v1", namespace, name, uid, resourceVersion };
  return {
    ...withActive(cleared, [...active, reference]),
    lastScheduleTime: formatTime(timeMs),
  };
}

/** Deletes the running Jobs and returns the remaining active ones (none). */
async function clearAway(hands: Hands, cronJob: CronJob): Promise<readonly ObjectReference[]> {
  const { client, recorder } = hands;
  for (const { namespace = "", name = "" } of cronJob.status.active ?? []) {
    try {
      const job = await client.get(jobs, { namespace, name });
      if (!(await deleteJob(hands, cronJob, job))) throw new Error(`could not replace job ${name}`);
    } catch (error) {
      if (error instanceof ApiError) {
        recorder.event(cronJob, "Warning", "FailedGet", `Get job: ${describeError(error)}`);
      }
      throw error;
    }
  }
  return [];
}

/**
 * Undefined if the Job already exists and either belongs to somebody else or is already listed as
 * active.
 */
async function startJob(hands: Hands, cronJob: CronJob, timeMs: number): Promise<Job | undefined> {
  const { client, recorder } = hands;
  const wanted = jobFor(cronJob, timeMs);
  const name = wanted.metadata.name ?? "";
  try {
    const job = await client.create(jobs, wanted);
    recorder.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${name}`);
    return job;
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) {
      const message = `Error creating job: ${describeError(error)}`;
      recorder.event(cronJob, "Warning", "FailedCreate", message);
      throw error;
    }
    const present = await client.get(jobs, { namespace: cronJob.metadata.namespace ?? "", name });
    if (controllerOf(present)?.uid !== cronJob.metadata.uid) return undefined;
    const active = cronJob.status.active ?? [];
    return active.some(({ uid }) => uid === present.metadata.uid) ? undefined : present;
  }
}

async function writeStatus(
  { client }: Hands,
  cronJob: CronJob,
  status: CronJobStatus,
): Promise<void> {
  if (isEqual(cronJob.status, status)) return;
  try {
    await client.updateStatus(cronJobs, { ...cronJob, status });
  } catch (error) {
    // If the CronJob was deleted in the meantime, there is no status to write.
    if (!isNotFound(error)) throw error;
  }
}

function placeOf({ metadata }: CronJob): Name {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}
