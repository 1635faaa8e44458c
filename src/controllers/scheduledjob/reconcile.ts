/**
 * Reconciles one ScheduledJob: creates its Job when it is due, or updates the status from the Job.
 * The Job has the same name as the ScheduledJob, so after a crash before the status was written,
 * the next reconcile finds it.
 */
import { isEqual } from "../../api/equal.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ScheduledJob, ScheduledJobStatus } from "../../api/generated/tallyjob.ts";
import { jobs, scheduledJobs } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import { describeError } from "../../base/describe-error.ts";
import { findObject, isNotFound } from "../../client/find.ts";
import { startJob } from "../jobtemplate/start-job.ts";
import type { Hands } from "../jobtemplate/start-job-maker.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideScheduledJob, startedStatus } from "./decide.ts";

export async function reconcile(hands: Hands, scheduled: ScheduledJob): Promise<Outcome> {
  if (scheduled.metadata.deletionTimestamp !== undefined) return done;
  const made = await findMade(hands, scheduled);
  const nowMs = hands.clock.nowMs();
  const seen = { scheduled, ...(made ? { job: made } : {}), nowMs, now: formatTime(nowMs) };
  const decision = decideScheduledJob(seen);
  if (decision.kind === "settle") {
    await writeStatus(hands, scheduled, decision.status);
    return decision.againInMs === undefined ? done : after(decision.againInMs);
  }
  const job = await start(hands, scheduled);
  await writeStatus(hands, scheduled, startedStatus({ ...seen, job }));
  return done;
}

/**
 * The cache may be behind this controller's own writes, so a Job that is not cached is read from
 * the server.
 */
async function findMade(hands: Hands, scheduled: ScheduledJob): Promise<Job | undefined> {
  const { status, metadata } = scheduled;
  if (!status.job) return undefined;
  const { namespace = "" } = metadata;
  const { name, uid } = status.job;
  const isMeant = (job: Job | undefined) => job?.metadata.uid === uid;
  const cached = hands.jobs.get(namespace, name);
  const job = isMeant(cached) ? cached : await findObject(hands.client, jobs, { namespace, name });
  return isMeant(job) ? job : undefined;
}

async function start({ client, recorder }: Hands, scheduled: ScheduledJob): Promise<Job> {
  const { name = "" } = scheduled.metadata;
  try {
    const job = await startJob(client, scheduled.spec.jobTemplate, { name, owner: scheduled });
    recorder.event(scheduled, "Normal", "SuccessfulCreate", `Created job ${name}`);
    return job;
  } catch (error) {
    const message = `Error creating job: ${describeError(error)}`;
    recorder.event(scheduled, "Warning", "FailedCreate", message);
    throw error;
  }
}

async function writeStatus(
  { client, recorder }: Hands,
  scheduled: ScheduledJob,
  status: ScheduledJobStatus,
): Promise<void> {
  if (isEqual(scheduled.status, status)) return;
  try {
    await client.updateStatus(scheduledJobs, { ...scheduled, status });
  } catch (error) {
    // If the ScheduledJob was deleted in the meantime, there is no status to write.
    if (!isNotFound(error)) throw error;
  }
  if (status.phase !== "Missed" || scheduled.status.phase === "Missed") return;
  const failed = status.conditions?.find(({ type }) => type === "Failed");
  recorder.event(scheduled, "Warning", "MissSchedule", failed?.message ?? "");
}
