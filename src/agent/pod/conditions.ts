/** Pure: the conditions of a pod: the node's own, and beside them whatever others have said. */

import type { ContainerStatus, Pod, PodCondition } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { formatTime } from "../../api/time.ts";
import { isTerminal } from "./endings.ts";
import { initsOf, type PodFacts } from "./facts.ts";
import type { PhaseVerdict } from "./phase.ts";
import { findRestartOfAll, mayRestartAll } from "./restarts.ts";

/** What is said of the containers, in the order of the spec. */
export interface ContainerStatuses {
  readonly inits: readonly ContainerStatus[];
  readonly mains: readonly ContainerStatus[];
}

interface Statement {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions that still hold are the old ones themselves, in their old places. */
export function composeConditions(
  pod: Pod,
  facts: PodFacts,
  verdict: PhaseVerdict,
  statuses: ContainerStatuses,
  nowMs: number,
): readonly PodCondition[] {
  const isNetworked = facts.addresses !== undefined && !isTerminal(verdict.phase);
  const ready = containersReady(pod, verdict, statuses);
  const statements: Statement[] = [
    { type: "PodReadyToStartContainers", status: isNetworked ? "True" : "False" },
    initialized(pod, verdict, statuses),
    podReady(pod, ready),
    ready,
    // Also of a pod that was created for this node and met no scheduler.
    { type: "PodScheduled", status: "True" },
  ];
  if (mayRestartAll(pod)) statements.push(allRestarting(pod, facts, verdict));
  if (verdict.isDisrupted) statements.push(disrupted(verdict));
  return merge(pod, statements, nowMs);
}

function initialized(pod: Pod, { phase }: PhaseVerdict, statuses: ContainerStatuses): Statement {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  const inits = initsOf(pod);
  if (inits.length === 0 || statuses.mains.some(hasStartedOnce)) return { type, status: "True" };
  const incomplete = inits.filter((container, at) => {
    const { ready = false, started = false } = statuses.inits[at] ?? {};
    return !(isSidecar(container) ? started : ready);
  });
  if (incomplete.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: ${formatNames(incomplete)}`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

/** A sidecar that is down again does not undo the initialization. */
function hasStartedOnce({ state, containerID }: ContainerStatus): boolean {
  if (state.running !== undefined) return true;
  return state.terminated !== undefined && containerID !== undefined;
}

/** A pod that is over is not ready, whatever its containers are. */
function containersReady(
  pod: Pod,
  { phase }: PhaseVerdict,
  { inits, mains }: ContainerStatuses,
): Statement {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const unready = mains.filter(({ ready }) => !ready);
  if (inits.length > 0) {
    const sidecars = inits.filter((_, at) => {
      const container = initsOf(pod)[at];
      return container !== undefined && isSidecar(container);
    });
    unready.unshift(...sidecars.filter(({ ready }) => !ready));
  }
  if (unready.length === 0) return { type, status: "True" };
  const message = `containers with unready status: ${formatNames(unready)}`;
  return { type, status: "False", reason: "ContainersNotReady", message };
}

/** As Go prints a slice. */
function formatNames(named: readonly { readonly name: string }[]): string {
  return `[${named.map(({ name }) => name).join(" ")}]`;
}

function podReady({ spec, status }: Pod, ready: Statement): Statement {
  const type = "Ready";
  if (ready.status === "False") return { ...ready, type };
  const missing = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = JSON.stringify(conditionType);
    const said = status.conditions?.find((each) => each.type === conditionType);
    if (!said) return [`corresponding condition of pod readiness gate ${gate} does not exist.`];
    if (said.status === "True") return [];
    return [`the status of pod readiness gate ${gate} is not "True", but ${said.status}`];
  });
  if (missing.length === 0) return { type, status: "True" };
  const message = missing.join(", ");
  return { type, status: "False", reason: "ReadinessGatesNotReady", message };
}

function allRestarting(pod: Pod, facts: PodFacts, { phase }: PhaseVerdict): Statement {
  const type = "AllContainersRestarting";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  if (findRestartOfAll(pod, facts) === undefined) return { type, status: "False" };
  const message = "container exited with restart policy rule";
  return { type, status: "True", reason: "RestartAllContainersStarted", message };
}

/** A Job does not hold it against a pod that its node gave it up. */
function disrupted({ message }: PhaseVerdict): Statement {
  const why = message === undefined ? {} : { message };
  return { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", ...why };
}

function merge(pod: Pod, statements: readonly Statement[], nowMs: number): readonly PodCondition[] {
  const old = pod.status.conditions ?? [];
  const { generation } = pod.metadata;
  const now = formatTime(nowMs);
  const next = statements.map((statement) => {
    const before = old.find(({ type }) => type === statement.type);
    return conditionOf(statement, before, generation, now);
  });
  const isKnown = next.every(({ type }) => old.some((before) => before.type === type));
  if (isKnown) {
    return old.map((before) => next.find(({ type }) => type === before.type) ?? before);
  }
  return [...old.filter(({ type }) => !next.some((each) => each.type === type)), ...next];
}

function conditionOf(
  { type, status, reason, message }: Statement,
  before: PodCondition | undefined,
  generation: number | undefined,
  now: string,
): PodCondition {
  const isSame = before?.status === status;
  if (
    isSame &&
    before.reason === reason &&
    before.message === message &&
    before.observedGeneration === generation
  ) {
    return before;
  }
  const sinceWhen = isSame ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: sinceWhen ?? now,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
