/** Pure: what a pod's status says of one container. */

import { isEqual } from "../../api/equal.ts";
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { formatTime } from "../../api/time.ts";
import type { Exit, RunId, Running } from "../runtimes/runtime.ts";
import {
  type ContainerFacts,
  type EndedRun,
  exitCodeOf,
  findEnd,
  isShown,
  isStarted,
  LOST_EXIT_CODE,
  lastRun,
} from "./facts.ts";
import { formatDelay, restartDelay, restartsAfter } from "./restarts.ts";

/** What the state of one container depends on besides itself. */
export interface Surroundings {
  readonly pod: Pod;
  readonly runtimeName: string;
  readonly isInit: boolean;
  /** It is neither ready nor started, and never restarted. */
  readonly isEphemeral?: boolean;
  /** Nothing is started any more. */
  readonly isEnding: boolean;
  /** The pod is over, and had come to its app containers: those that never ran are missing. */
  readonly isMissed: boolean;
}

/** The old status itself where there is nothing new to say. */
export function composeContainerStatus(
  container: Container,
  known: ContainerFacts | undefined,
  old: ContainerStatus | undefined,
  around: Surroundings,
): ContainerStatus {
  // Whoever knows nothing takes nothing back.
  const isSaid = old !== undefined && (!around.isMissed || old.state.terminated !== undefined);
  if (known === undefined && isSaid) return old;
  const next = composeFrom(container, known ?? { attempt: 0 }, old, around);
  return old !== undefined && isEqual(next, old) ? old : next;
}

function composeFrom(
  container: Container,
  known: ContainerFacts,
  old: ContainerStatus | undefined,
  around: Surroundings,
): ContainerStatus {
  const shown = isShown(known) ? known.running : known.last;
  const state = stateOf(container, known, around);
  const showsEnd = state.terminated !== undefined && findEnd(known) !== undefined;
  const former = showsEnd ? known.before : lastRun(known);
  return {
    name: container.name,
    state,
    lastState: lastStateOf(former, old, around, shown?.id),
    ready: !around.isEphemeral && isReady(container, known, around),
    restartCount: shown?.id.attempt ?? 0,
    image: container.image ?? "",
    imageID: shown?.imageId ?? "",
    ...(shown === undefined ? {} : { containerID: formatContainerId(shown, around) }),
    ...(around.isEphemeral ? {} : { started: isStarted(known) }),
  };
}

function stateOf(
  container: Container,
  known: ContainerFacts,
  around: Surroundings,
): ContainerState {
  const { running, waiting } = known;
  if (running && isShown(known)) return { running: { startedAt: formatTime(running.startedMs) } };
  const end = findEnd(known);
  if (end === undefined) return unstartedState(waiting, around);
  const isThrough = around.isEnding || !runsAgain(container, known, exitCodeOf(end), around);
  if (!isThrough && waiting) return { waiting };
  const { delayMs } = restartDelay(known);
  if (isThrough || delayMs === 0) return { terminated: terminatedBy(lastRun(known), around) };
  return {
    waiting: { reason: "CrashLoopBackOff", message: backoffMessage(container, delayMs, around) },
  };
}

const MISSED: ContainerStateTerminated = {
  exitCode: LOST_EXIT_CODE,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
  startedAt: null,
  finishedAt: null,
};

function unstartedState(waiting: ContainerFacts["waiting"], around: Surroundings): ContainerState {
  if (around.isMissed) return { terminated: MISSED };
  if (waiting) return { waiting };
  const hasInits = (around.pod.spec.initContainers?.length ?? 0) > 0;
  return hasInits ? INITIALIZING : CREATING;
}

const CREATING: ContainerState = { waiting: { reason: "ContainerCreating" } };
const INITIALIZING: ContainerState = { waiting: { reason: "PodInitializing" } };

function runsAgain(
  container: Container,
  known: ContainerFacts,
  exitCode: number,
  { pod, isInit, isEphemeral }: Surroundings,
): boolean {
  if (isEphemeral) return false;
  if (isInit && isSidecar(container)) return true;
  if (isInit && exitCode === 0) return false;
  return restartsAfter(pod, container, exitCode, known);
}

function backoffMessage({ name }: Container, delayMs: number, { pod }: Surroundings): string {
  const { name: podName, namespace, uid } = pod.metadata;
  const where = `pod=${podName}_${namespace}(${uid})`;
  return `back-off ${formatDelay(delayMs)} restarting failed container=${name} ${where}`;
}

function terminatedBy(ended: EndedRun | undefined, around: Surroundings): ContainerStateTerminated {
  if (ended === undefined) return MISSED;
  const { exit, refusal } = ended;
  const message = exit.isLost ? MISSED.message : (refusal?.message ?? ended.message);
  return {
    exitCode: exitCodeOf(exit),
    reason: reasonOf(ended),
    ...(message === undefined || message === "" ? {} : { message }),
    startedAt: formatTime(exit.startedMs),
    finishedAt: formatTime(exit.finishedMs),
    containerID: formatContainerId(exit, around),
  };
}

function reasonOf({ exit, refusal }: EndedRun): string {
  if (exit.isLost) return "ContainerStatusUnknown";
  if (refusal) return refusal.reason;
  if (exit.isOutOfMemory) return "OOMKilled";
  return exit.exitCode === 0 ? "Completed" : "Error";
}

const NO_STATE: ContainerState = {};

/** The run before the one that is shown; where it is not known, what was said of it stands. */
function lastStateOf(
  ended: EndedRun | undefined,
  old: ContainerStatus | undefined,
  around: Surroundings,
  shown: RunId | undefined,
): ContainerState {
  if (ended) return { terminated: terminatedBy(ended, around) };
  const isSameRun = old !== undefined && shown !== undefined && old.restartCount === shown.attempt;
  return isSameRun && old.state.waiting === undefined ? old.lastState : NO_STATE;
}

function isReady(container: Container, known: ContainerFacts, { isInit }: Surroundings): boolean {
  if (isInit && !isSidecar(container)) {
    const end = known.running ? undefined : findEnd(known);
    return end !== undefined && exitCodeOf(end) === 0;
  }
  return isStarted(known) && known.isReady !== false;
}

function formatContainerId({ id, containerId }: Running | Exit, { runtimeName }: Surroundings) {
  return containerId ?? `${runtimeName}://${id.podUid}/${id.container}/${id.attempt}`;
}
