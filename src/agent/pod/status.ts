/** Pure: what a pod looks like, as its node tells it. */
import { isEqual } from "../../api/equal.ts";
import type { Container, ContainerStatus, Pod, PodStatus } from "../../api/generated/core.ts";
import { type Draft, kept } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import { composeConditions } from "./conditions.ts";
import { composeContainerStatus, type Surroundings } from "./container-status.ts";
import { findEnding, isTerminal } from "./endings.ts";
import { ephemeralsOf, initsOf, mainsOf, type PodFacts } from "./facts.ts";
import { type PhaseVerdict, phaseOf } from "./phase.ts";
import { initializationOf } from "./progress.ts";

/**
 * The complete next status. What others own in it is kept; when there is nothing new to say it is
 * the stored status itself.
 */
export function composePodStatus(pod: Pod, facts: PodFacts, nowMs: number): PodStatus {
  const verdict = phaseOf(pod, facts, nowMs);
  const next = composeBase(pod, facts, verdict, nowMs);
  // Of a pod that was rejected there is no more to say.
  if (!facts.rejection) addContainers(next, pod, facts, verdict, nowMs);
  return isEqual(next, pod.status) ? pod.status : (next as PodStatus);
}

/** All but containers and conditions. One copy, written to: thousands are composed in a second. */
function composeBase(
  { metadata, status }: Pod,
  { acceptedMs, addresses, rejection }: PodFacts,
  { phase, reason, message }: PhaseVerdict,
  nowMs: number,
): Draft<PodStatus> {
  const next = { ...status } as Draft<PodStatus>;
  next.phase = phase;
  if (reason !== undefined) next.reason = reason;
  else if (next.reason !== undefined) delete next.reason;
  if (message !== undefined) next.message = message;
  else if (next.message !== undefined) delete next.message;
  if (metadata.generation !== undefined) next.observedGeneration = metadata.generation;
  const startMs = acceptedMs ?? (rejection && nowMs);
  if (!status.startTime && startMs !== undefined) next.startTime = formatTime(startMs);
  if (addresses) {
    const { hostIp, podIp } = addresses;
    if (status.hostIP !== hostIp) next.hostIPs = [{ ip: hostIp }];
    if (status.podIP !== podIp) next.podIPs = [{ ip: podIp }];
    next.hostIP = hostIp;
    next.podIP = podIp;
  }
  return next;
}

function addContainers(
  next: Draft<PodStatus>,
  pod: Pod,
  facts: PodFacts,
  verdict: PhaseVerdict,
  nowMs: number,
): void {
  const { status } = pod;
  const isOver = isTerminal(verdict.phase);
  const isMissed = isOver && initializationOf(pod, facts).kind === "done";
  const around: Surroundings = {
    pod,
    runtimeName: facts.runtimeName ?? "process",
    isInit: false,
    isEnding: isOver || findEnding(pod, facts, nowMs) !== undefined,
    isMissed,
  };
  const mains = composeEach(mainsOf(pod), facts, status.containerStatuses, around);
  const inits = composeInits(pod, facts, around);
  const conditions = composeConditions(pod, facts, verdict, { inits, mains }, nowMs);
  next.conditions = kept(conditions);
  next.containerStatuses = kept(mains);
  if (inits.length > 0) next.initContainerStatuses = kept(inits);
  const ephemerals = ephemeralsOf(pod);
  if (ephemerals.length === 0) return;
  const apart = { ...around, isEphemeral: true, isMissed: false };
  const old = status.ephemeralContainerStatuses;
  next.ephemeralContainerStatuses = kept(composeEach(ephemerals, facts, old, apart));
}

const NONE: readonly ContainerStatus[] = [];

function composeInits(pod: Pod, facts: PodFacts, around: Surroundings): readonly ContainerStatus[] {
  const inits = initsOf(pod);
  if (inits.length === 0) return NONE;
  const ofInits = { ...around, isInit: true, isMissed: false };
  return composeEach(inits, facts, pod.status.initContainerStatuses, ofInits);
}

function composeEach(
  containers: readonly Container[],
  facts: PodFacts,
  old: readonly ContainerStatus[] = NONE,
  around: Surroundings,
): readonly ContainerStatus[] {
  return containers.map((container, at) => {
    const { name } = container;
    const before = old[at]?.name === name ? old[at] : old.find((each) => each.name === name);
    return composeContainerStatus(container, facts.containers[name], before, around);
  });
}
