/**
 * One look at one pod: admit it, plan, begin what the plan says, tell what is new.
 *
 *     admit -> plan -> act (begun, not waited for) -> compose status -> write
 *
 * Whatever is begun comes back as an event (`runs.ts`, the runtime's exits) and leads to another
 * look. Facts change between two awaits only, so that nothing that happens meanwhile is lost.
 */
import type { Client } from "../api/client.ts";
import { isEqual } from "../api/equal.ts";
import { ApiError } from "../api/errors.ts";
import type { PodStatus } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Admit, TellOfPod } from "./admit.ts";
import { announcementsOf } from "./pod/announcements.ts";
import { isTerminal } from "./pod/endings.ts";
import { withExactTimes } from "./pod/exact-times.ts";
import { hasLife, type PodFacts } from "./pod/facts.ts";
import { type PodAction, planPod } from "./pod/plan.ts";
import { composePodStatus } from "./pod/status.ts";
import { actionBegan } from "./pod/transitions.ts";
import type { PodRecord } from "./pod-record.ts";
import { removePod } from "./remove-pod.ts";
import type { Runs } from "./runs.ts";
import type { Runtime } from "./runtimes/runtime.ts";

export interface PodWork {
  readonly client: Client;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly runs: Runs;
  readonly admit: Admit;
  readonly log: Log;
  readonly tell: TellOfPod;
  readonly wake: (uid: string) => void;
  /** The pod has come to its end, told or not. */
  readonly isOver: (record: PodRecord) => void;
  /** Pods with something to tell that waits for more. */
  readonly untold: Set<PodRecord>;
}

/** Milliseconds until the next look; undefined: when something happens. */
export type NextLook = number | undefined;

/**
 * A short task is over before anybody could have seen it running. What is not an end waits this
 * long to be told together with what comes next: the longer the more pods do, since each of them
 * then takes longer.
 */
const TELL_AFTER_MS = { least: 10, perPod: 10, most: 100 };
/** That a pod heard of its deletion is told with how it ended, if that is soon. */
const TELL_OF_DELETION_AFTER_MS = 5000;

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

function begin(work: PodWork, record: PodRecord, action: PodAction): void {
  const { runs } = work;
  switch (action.kind) {
    case "start":
      runs.start(record, action);
      return;
    case "postStart":
      runs.postStart(record, action.container);
      return;
    case "preStop":
      for (const container of action.containers) runs.preStop(record, container, action.why);
      return;
    case "stop":
      for (const container of action.containers) runs.stop(record, container, action.why);
      return;
    case "kill":
      for (const container of action.containers) runs.kill(record, container);
      return;
    case "renew":
      return;
    case "remove":
      removePod(work, record.pod);
      return;
  }
}

async function tell(work: PodWork, record: PodRecord, nowMs: number): Promise<NextLook> {
  const { pod, facts } = record;
  const ends = record.ended.length;
  if (facts.isRemoved) {
    if (!hasLife(facts)) await forgetEnded(work, record, ends);
    return undefined;
  }
  if (record.reading > 0) return undefined;
  // There is more to tell as soon as the runtime has answered.
  if (isStarting(facts)) {
    const waitMs = tellInMs(work, record, TELL_AFTER_MS.most);
    if (waitMs > 0) return waitMs;
  }
  const status = composePodStatus(pod, facts, nowMs);
  if (status === pod.status) {
    nothingUntold(work, record);
    await forgetEnded(work, record, ends);
    return undefined;
  }
  if (isTerminal(status.phase)) {
    work.isOver(record);
  } else {
    const waitMs = tellInMs(work, record, patienceMs(work, pod, status));
    if (waitMs > 0) return waitMs;
  }
  nothingUntold(work, record);
  return writeStatus(work, record, status);
}

function patienceMs({ untold }: PodWork, pod: PodRecord["pod"], next: PodStatus): number {
  if (isGoing(pod) && isEqual(next.containerStatuses, pod.status.containerStatuses)) {
    return TELL_OF_DELETION_AFTER_MS;
  }
  const { least, perPod, most } = TELL_AFTER_MS;
  return Math.min(most, Math.max(least, perPod * untold.size));
}

function isStarting({ containers }: PodFacts): boolean {
  for (const name in containers) if (containers[name]?.isStarting) return true;
  return false;
}

/** How long it may still wait that waits since it was first found to be new. */
function tellInMs({ clock, untold }: PodWork, record: PodRecord, afterMs: number): number {
  record.untoldSinceMs ??= clock.monotonicMs();
  untold.add(record);
  return record.untoldSinceMs + afterMs - clock.monotonicMs();
}

function nothingUntold({ untold }: PodWork, record: PodRecord): void {
  record.untoldSinceMs = undefined;
  untold.delete(record);
}

async function writeStatus(work: PodWork, record: PodRecord, status: PodStatus): Promise<NextLook> {
  const before = record.pod;
  // What ends while this is being written is not in it.
  const ends = record.ended.length;
  try {
    const written = await work.client.updateStatus(
      pods,
      withExactTimes({ ...before, status }, record.facts),
    );
    if (record.pod === before || record.pod === written) record.pod = written;
    for (const { type, ...notice } of announcementsOf(before, status)) {
      work.tell(before, type, notice);
    }
    await forgetEnded(work, record, ends);
    return undefined;
  } catch (error) {
    const reason = error instanceof ApiError ? error.reason : "";
    if (reason === "NotFound") return undefined;
    // The cache is about to show what it collided with.
    if (reason === "Conflict") return TELL_AFTER_MS.least;
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
  return facts.isRemoved === true || isThrough(pod);
}

/** Nothing is left to be done for it, whatever ran. */
export function isThrough(pod: PodRecord["pod"]): boolean {
  return isTerminal(pod.status.phase) && !isGoing(pod);
}

function isGoing({ metadata }: PodRecord["pod"]): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds !== 0;
}
