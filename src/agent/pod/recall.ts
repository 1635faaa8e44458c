/** Pure: what an agent that has just started knows of a pod: from its status, and its runtime. */
import type {
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "../../api/generated/core.ts";
import { millisecondsOf } from "../../api/time.ts";
import { findContainer } from "../find-container.ts";
import type { Exit, RunId, Running } from "../runtimes/runtime.ts";
import { recallBeginning } from "./beginnings.ts";
import { type ContainerFacts, LOST_EXIT_CODE, type PodFacts } from "./facts.ts";
import { REJECTED } from "./phase.ts";
import { type LastWords, runBegan, runEnded } from "./transitions.ts";

/** Of this pod's runs. */
export interface RecoveredRuns {
  readonly running: readonly Running[];
  readonly ended: readonly Exit[];
}

/**
 * The status says what is past, the runtime what is. A run that was said to go on and of which the
 * runtime knows nothing is lost: its end is now.
 */
export function recallPod(pod: Pod, { running, ended }: RecoveredRuns, nowMs: number): PodFacts {
  const { status } = pod;
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  const { ephemeralContainerStatuses = [] } = status;
  const statuses = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const entries = statuses.map((each) => [each.name, recallContainer(pod, each)] as const);
  let facts: PodFacts = {
    containers: Object.fromEntries(entries.filter(([, known]) => known !== undefined)) as {
      [name: string]: ContainerFacts;
    },
    ...(status.startTime ? { acceptedMs: millisecondsOf(status.startTime) } : {}),
    ...recallRejection(pod),
  };
  const byAttempt = (one: { id: RunId }, other: { id: RunId }) => one.id.attempt - other.id.attempt;
  for (const exit of [...ended].sort(byAttempt)) facts = runEnded(facts, exit);
  for (const run of running) {
    const { container, attempt } = run.id;
    const told = statuses.find(({ name }) => name === container);
    facts = runBegan(facts, run, recallBeginning(findContainer(pod, container), told, attempt));
  }
  for (const each of statuses) facts = loseRun(facts, runIdOf(pod, each), each, nowMs);
  return facts;
}

function recallRejection({ status }: Pod): Pick<PodFacts, "rejection"> {
  const { phase, reason = "", message } = status;
  if (phase !== "Failed" || !message?.startsWith(REJECTED)) return {};
  return { rejection: { reason, message: message.slice(REJECTED.length) } };
}

/** Undefined where nothing ever ran. */
function recallContainer(pod: Pod, status: ContainerStatus): ContainerFacts | undefined {
  const { state, lastState, restartCount } = status;
  const id = runIdOf(pod, status);
  const former = { ...id, attempt: restartCount - 1 };
  if (state.terminated?.containerID !== undefined) {
    const before = recallRun(former, lastState);
    return {
      attempt: restartCount + 1,
      ...recallEnd(id, state.terminated),
      ...(before === undefined ? {} : { before }),
    };
  }
  const isRunning = state.running !== undefined;
  const last = lastState.terminated;
  if (last === undefined) return isRunning ? { attempt: restartCount } : undefined;
  if (isRunning) return { attempt: restartCount, ...recallEnd(former, last) };
  const attempt = restartCount + 1;
  const isRenewed = state.terminated !== undefined || isUnstarted(state);
  return { attempt, ...recallEnd(id, last), ...(isRenewed ? { firstAttempt: attempt } : {}) };
}

/** What a container says that has not run since all were restarted. */
function isUnstarted({ waiting }: ContainerState): boolean {
  return waiting?.reason === "ContainerCreating" || waiting?.reason === "PodInitializing";
}

function runIdOf({ metadata }: Pod, { name, restartCount }: ContainerStatus): RunId {
  return { podUid: metadata.uid ?? "", container: name, attempt: restartCount };
}

function recallRun(id: RunId, { terminated }: ContainerState): ContainerFacts["before"] {
  if (terminated === undefined) return undefined;
  const { last, terminationMessage: message, refusal } = recallEnd(id, terminated);
  return {
    exit: last,
    ...(message === undefined ? {} : { message }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Reasons that follow from an exit; any other is that of a run which could not begin. */
const OF_EXITS: readonly string[] = ["Completed", "Error", "OOMKilled", "ContainerStatusUnknown"];

function recallEnd(id: RunId, ended: ContainerStateTerminated): { last: Exit } & LastWords {
  const { exitCode, reason = "Error", message, startedAt, finishedAt } = ended;
  const startedMs = startedAt ? millisecondsOf(startedAt) : 0;
  const finishedMs = finishedAt ? millisecondsOf(finishedAt) : startedMs;
  const last: Exit = {
    id,
    exitCode,
    startedMs,
    finishedMs,
    ...(reason === "OOMKilled" ? { isOutOfMemory: true } : {}),
    ...(reason === "ContainerStatusUnknown" ? { isLost: true } : {}),
  };
  if (!OF_EXITS.includes(reason)) return { last, refusal: { reason, message: message ?? "" } };
  return message === undefined ? { last } : { last, terminationMessage: message };
}

function loseRun(facts: PodFacts, id: RunId, { state }: ContainerStatus, nowMs: number): PodFacts {
  const known = facts.containers[id.container];
  const isKnown = known?.running !== undefined || (known?.last?.id.attempt ?? -1) >= id.attempt;
  if (state.running === undefined || isKnown) return facts;
  const startedMs = state.running.startedAt ? millisecondsOf(state.running.startedAt) : nowMs;
  const exitCode = LOST_EXIT_CODE;
  return runEnded(facts, { id, exitCode, startedMs, finishedMs: nowMs, isLost: true });
}
