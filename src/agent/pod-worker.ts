/**
 * One look at one pod: admit it, plan, begin what the plan says, tell what is new.
 *
 *     admit -> plan -> act (begun, not waited for) -> compose status -> write
 *
 * Whatever is begun comes back as an event (`runs.ts`, the runtime's exits) and leads to another
 * look. Facts change between two awaits only, so that nothing that happens meanwhile is lost.
 */
import type { Client } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { PodStatus } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Admit } from "./admit.ts";
import { isTerminal } from "./pod/endings.ts";
import { hasLife } from "./pod/facts.ts";
import { type PodAction, planPod } from "./pod/plan.ts";
import { composePodStatus } from "./pod/status.ts";
import { actionBegan } from "./pod/transitions.ts";
import type { PodRecord } from "./pod-record.ts";
import type { Runs } from "./runs.ts";
import type { Runtime } from "./runtimes/runtime.ts";

export interface PodWork {
  readonly client: Client;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly runs: Runs;
  readonly admit: Admit;
}

/** Milliseconds until the next look; undefined: when something happens. */
export type NextLook = number | undefined;

/**
 * A short task is over before anybody could have seen it running. What is not an end waits this
 * long to be told together with what comes next.
 */
const TELL_AFTER_MS = 10;

export async function workOnPod(work: PodWork, record: PodRecord): Promise<NextLook> {
  const { clock } = work;
  const nowMs = clock.nowMs();
  if (!record.isAdmitted) work.admit(record, nowMs);
  const { actions, againInMs } = planPod(record.pod, record.facts, nowMs);
  for (const action of actions) {
    record.facts = actionBegan(record.facts, action, nowMs);
    begin(work, record, action);
  }
  const tellInMs = await tell(work, record, nowMs);
  if (tellInMs === undefined || againInMs === undefined) return tellInMs ?? againInMs;
  return Math.min(tellInMs, againInMs);
}

function begin({ client, runs }: PodWork, record: PodRecord, action: PodAction): void {
  switch (action.kind) {
    case "start":
      runs.start(record, action);
      return;
    case "stop":
      for (const container of action.containers) runs.stop(record, container, action);
      return;
    case "kill":
      for (const container of action.containers) runs.kill(record, container);
      return;
    case "renew":
      return;
    case "remove":
      runs.removeObject(client, record);
      return;
  }
}

async function tell(work: PodWork, record: PodRecord, nowMs: number): Promise<NextLook> {
  const { clock } = work;
  const { pod, facts } = record;
  const ends = record.ended.length;
  if (facts.isRemoved) {
    if (!hasLife(facts)) await forgetEnded(work, record, ends);
    return undefined;
  }
  if (record.reading > 0) return undefined;
  const status = composePodStatus(pod, facts, nowMs);
  if (status === pod.status) {
    record.untoldSinceMs = undefined;
    await forgetEnded(work, record, ends);
    return undefined;
  }
  if (!isTerminal(status.phase)) {
    record.untoldSinceMs ??= clock.monotonicMs();
    const waitMs = record.untoldSinceMs + TELL_AFTER_MS - clock.monotonicMs();
    if (waitMs > 0) return waitMs;
  }
  record.untoldSinceMs = undefined;
  return writeStatus(work, record, status);
}

async function writeStatus(work: PodWork, record: PodRecord, status: PodStatus): Promise<NextLook> {
  const before = record.pod;
  // What ends while this is being written is not in it.
  const ends = record.ended.length;
  try {
    const written = await work.client.updateStatus(pods, { ...before, status });
    if (record.pod === before || record.pod === written) record.pod = written;
    await forgetEnded(work, record, ends);
    return undefined;
  } catch (error) {
    const reason = error instanceof ApiError ? error.reason : "";
    if (reason === "NotFound") return undefined;
    // The cache is about to show what it collided with.
    if (reason === "Conflict") return TELL_AFTER_MS;
    throw error;
  }
}

/** Only what the disk knows of may be forgotten where it happened. */
async function forgetEnded(
  { client, runtime }: PodWork,
  record: PodRecord,
  told: number,
): Promise<void> {
  if (told === 0) return;
  await client.durable(record.pod.metadata.resourceVersion ?? "");
  for (const id of record.ended.splice(0, told)) runtime.forget(id);
}

/** Whether the agent is through with the pod. */
export function isDone({ pod, facts }: PodRecord): boolean {
  if (hasLife(facts)) return false;
  return facts.isRemoved === true || (isTerminal(pod.status.phase) && !isGoing(pod));
}

function isGoing({ metadata }: PodRecord["pod"]): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds !== 0;
}
