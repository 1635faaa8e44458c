/** Pure: what is known of a pod after something happened to its containers. */
import type { Pod } from "../../api/generated/core.ts";
import { isLetGo } from "../../api/pod-end.ts";
import type { Exit, RunId, Running, RunRefused } from "../runtimes/runtime.ts";
import type { Beginning } from "./beginnings.ts";
import { type ContainerFacts, factsOf, lastRun, type PodFacts } from "./facts.ts";
import type { PodAction } from "./plan.ts";
import { isLongRun } from "./restarts.ts";
import type { StopAction } from "./termination.ts";

/** An action was begun; how it went is told later. */
export function actionBegan(facts: PodFacts, action: PodAction, nowMs: number): PodFacts {
  switch (action.kind) {
    case "start": {
      const { container, attempt } = action;
      return change(facts, container, (known) => ({ ...known, attempt, isStarting: true }));
    }
    case "postStart":
      return change(facts, action.container, (known) => ({ ...known, postStart: "running" }));
    case "preStop":
      return stopBegan(facts, action, nowMs, { preStop: "running" });
    case "stop":
      return stopBegan(facts, action, nowMs, { signalledMs: nowMs });
    case "kill": {
      const killed = { killedMs: nowMs };
      return changeAll(facts, action.containers, (known) => ({ ...known, ...killed }));
    }
    case "renew":
      return renew(facts);
    case "remove":
      return facts;
  }
}

/** Of one container that has to go the pod itself is not stopped. */
function stopBegan(
  facts: PodFacts,
  { containers, why }: StopAction,
  nowMs: number,
  step: Pick<ContainerFacts, "preStop" | "signalledMs">,
): PodFacts {
  const asked = changeAll(facts, containers, (known) => {
    return { ...known, stoppingSinceMs: known.stoppingSinceMs ?? nowMs, ...step };
  });
  const isAlone = why === "postStart" || why === "unhealthy";
  if (isAlone || facts.stoppingSinceMs !== undefined) return asked;
  return { ...asked, stoppingSinceMs: nowMs };
}

/** What the Job thinks of the deletion is seen only then: it lets go of a pod that it counted. */
export function podSeen(facts: PodFacts, pod: Pod): PodFacts {
  if (facts.isLetGo !== undefined || pod.metadata.deletionTimestamp === undefined) return facts;
  return { ...facts, isLetGo: isLetGo(pod) };
}

/** Nothing that is told of a run after its end brings it back. */
export function runBegan(
  facts: PodFacts,
  running: Running,
  { hasPostStart, isUnstarted, isUnready }: Beginning = {},
): PodFacts {
  const { container, attempt } = running.id;
  return change(facts, container, (known) => {
    if (isOlder(attempt, known)) return known;
    return {
      ...historyOf(known),
      attempt,
      running,
      ...(isUnstarted ? { isStarted: false } : {}),
      ...(isUnready ? { isReady: false } : {}),
      ...(hasPostStart ? { postStart: "due" as const } : {}),
    };
  });
}

/** A run whose hook failed goes on until it is ended for that. */
export function postStartEnded(facts: PodFacts, id: RunId, hasFailed: boolean): PodFacts {
  return ofRun(facts, id, ({ postStart: _postStart, ...known }) =>
    hasFailed ? { ...known, postStart: "failed" } : known,
  );
}

/** The facts themselves where nothing is new. */
export function probeFound(
  facts: PodFacts,
  id: RunId,
  kind: "startup" | "readiness" | "liveness",
  isSuccess: boolean,
): PodFacts {
  const known = facts.containers[id.container];
  if (kind === "readiness") {
    if (known?.isReady === isSuccess) return facts;
    return ofRun(facts, id, (now) => ({ ...now, isReady: isSuccess }));
  }
  if (!isSuccess) return ofRun(facts, id, (now) => ({ ...now, unhealthy: kind }));
  if (kind === "liveness") return facts;
  return ofRun(facts, id, ({ isStarted: _isStarted, ...now }) => now);
}

/** However it went: the stop signal is next. */
export function preStopEnded(facts: PodFacts, id: RunId): PodFacts {
  return ofRun(facts, id, (known) => ({ ...known, preStop: "over" }));
}

export interface LastWords {
  readonly terminationMessage?: string;
  readonly refusal?: { readonly reason: string; readonly message: string };
}

/** Also of a run that was never known to have begun; a second time it changes nothing. */
export function runEnded(facts: PodFacts, exit: Exit, words: LastWords = {}): PodFacts {
  const { container, attempt } = exit.id;
  return change(facts, container, (known) => {
    if (isOlder(attempt, known)) return known;
    const { backoffFrom, firstAttempt } = known;
    const before = lastRun(known);
    return {
      attempt: attempt + 1,
      last: exit,
      ...words,
      ...(known.unhealthy === undefined ? {} : { wasUnhealthy: true }),
      ...(before === undefined ? {} : { before }),
      ...(firstAttempt === undefined ? {} : { firstAttempt }),
      ...(isLongRun(exit)
        ? { backoffFrom: attempt }
        : backoffFrom === undefined
          ? {}
          : { backoffFrom }),
    };
  });
}

/** What its latest finished run left to say. Of an earlier one nothing is kept. */
export function lastWordsRead(facts: PodFacts, id: RunId, message: string): PodFacts {
  const known = facts.containers[id.container];
  if (known?.last?.id.attempt !== id.attempt) return facts;
  return change(facts, id.container, () => ({ ...known, terminationMessage: message }));
}

/** The runtime could not start it: an end without a process. */
export function runWasRefused(
  facts: PodFacts,
  id: RunId,
  { exitCode, reason, message }: Pick<RunRefused, "exitCode" | "reason" | "message">,
  nowMs: number,
): PodFacts {
  const exit: Exit = { id, exitCode, startedMs: nowMs, finishedMs: nowMs };
  return runEnded(facts, exit, { refusal: { reason, message } });
}

/** It was ended for what it did: it counts as killed, whatever it made of that. */
export function runWasCondemned(
  facts: PodFacts,
  { container, attempt }: RunId,
  { reason, message }: { readonly reason: string; readonly message: string },
): PodFacts {
  const last = facts.containers[container]?.last;
  if (last?.id.attempt !== attempt) return facts;
  const killed = { last: { ...last, ...KILLED }, refusal: { reason, message } };
  return change(facts, container, (known) => ({ ...known, ...killed }));
}

const KILLED = { exitCode: 137, signal: 9 };

/** It cannot be started for now, or, with nothing to wait for, can be again. */
export function startIsHeld(
  facts: PodFacts,
  container: string,
  waiting: ContainerFacts["waiting"],
): PodFacts {
  return change(facts, container, ({ waiting: _waiting, isStarting: _isStarting, ...known }) =>
    waiting === undefined ? known : { ...known, waiting },
  );
}

function change(
  facts: PodFacts,
  name: string,
  next: (known: ContainerFacts) => ContainerFacts,
): PodFacts {
  return { ...facts, containers: { ...facts.containers, [name]: next(factsOf(facts, name)) } };
}

function changeAll(
  facts: PodFacts,
  names: readonly string[],
  next: (known: ContainerFacts) => ContainerFacts,
): PodFacts {
  return names.reduce((changed, name) => change(changed, name, next), facts);
}

/** Nothing where that run is over. */
function ofRun(
  facts: PodFacts,
  { container, attempt }: RunId,
  next: (known: ContainerFacts) => ContainerFacts,
): PodFacts {
  const isThere = facts.containers[container]?.running?.id.attempt === attempt;
  return isThere ? change(facts, container, next) : facts;
}

function isOlder(attempt: number, { last }: ContainerFacts): boolean {
  return last !== undefined && last.id.attempt >= attempt;
}

/** What outlives a run. */
function historyOf(known: ContainerFacts): Omit<ContainerFacts, "attempt" | "running"> {
  const { last, terminationMessage, refusal, before, backoffFrom, firstAttempt } = known;
  return {
    ...(last === undefined ? {} : { last }),
    ...(terminationMessage === undefined ? {} : { terminationMessage }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(before === undefined ? {} : { before }),
    ...(backoffFrom === undefined ? {} : { backoffFrom }),
    ...(firstAttempt === undefined ? {} : { firstAttempt }),
  };
}

/** What the containers did belongs to a former life. */
function renew({ stoppingSinceMs: _since, ...facts }: PodFacts): PodFacts {
  const renewed = Object.entries(facts.containers).map(([name, known]) => {
    const { attempt } = known;
    return [name, { ...historyOf(known), attempt, firstAttempt: attempt }] as const;
  });
  return { ...facts, containers: Object.fromEntries(renewed) };
}
