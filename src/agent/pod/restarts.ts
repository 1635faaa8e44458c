/** Pure: whether a container that ended runs again, and when. */
import type { Container, ContainerRestartRule, Pod } from "../../api/generated/core.ts";
import { backoffMs } from "../../base/backoff.ts";
import {
  type ContainerFacts,
  exitCodeOf,
  factsOf,
  findEnd,
  initsOf,
  isAlive,
  mainsOf,
  type PodFacts,
} from "./facts.ts";

/**
 * Rules of the container come first, then its own policy, then that of the pod. One that was ended
 * for its health has failed, whatever it made of that.
 */
export function restartsAfter(
  { spec }: Pod,
  container: Container,
  exitCode: number,
  { wasUnhealthy = false }: Pick<ContainerFacts, "wasUnhealthy"> = {},
): boolean {
  const rule = findRule(container, exitCode);
  if (rule !== undefined) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && (exitCode !== 0 || wasUnhealthy));
}

/** The container whose end restarts all of them, itself included. */
export function findRestartOfAll(pod: Pod, facts: PodFacts): Container | undefined {
  return initsOf(pod).find(asksForAll) ?? mainsOf(pod).find(asksForAll);

  function asksForAll(container: Container): boolean {
    if (container.restartPolicyRules === undefined) return false;
    const known = factsOf(facts, container.name);
    const end = isAlive(known) ? undefined : findEnd(known);
    if (end === undefined) return false;
    return findRule(container, exitCodeOf(end))?.action === RESTART_ALL;
  }
}

export function mayRestartAll(pod: Pod): boolean {
  return initsOf(pod).some(hasRuleForAll) || mainsOf(pod).some(hasRuleForAll);
}

const RESTART_ALL = "RestartAllContainers";

function hasRuleForAll({ restartPolicyRules }: Container): boolean {
  return restartPolicyRules?.some(({ action }) => action === RESTART_ALL) ?? false;
}

function findRule(
  { restartPolicyRules }: Container,
  exitCode: number,
): ContainerRestartRule | undefined {
  return restartPolicyRules?.find(({ exitCodes }) => {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes?.operator === "In") return isListed;
    return exitCodes?.operator === "NotIn" && !isListed;
  });
}

export interface RestartDelay {
  /** 0: the first restart does not wait. */
  readonly delayMs: number;
  readonly dueMs: number;
}

const RESTARTS = { firstMs: 10_000, maxMs: 300_000 } as const;
const LONG_RUN_MS = 2 * RESTARTS.maxMs;

/** When it may be started again: counted from its last end, whatever ended it. */
export function restartDelay({ last, backoffFrom = 0 }: ContainerFacts): RestartDelay {
  if (last === undefined) return { delayMs: 0, dueMs: 0 };
  const delayMs = backoffMs(RESTARTS, last.id.attempt - backoffFrom);
  return { delayMs, dueMs: last.finishedMs + delayMs };
}

/** After a run of over ten minutes the next restart does not wait, the one after it ten seconds. */
export function isLongRun({ startedMs, finishedMs }: { startedMs: number; finishedMs: number }) {
  return finishedMs - startedMs > LONG_RUN_MS;
}

/** In whole seconds as Go prints a duration: "10s", "1m20s". */
export function formatDelay(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
