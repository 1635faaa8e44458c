/** Pure: what is known of a pod after something happened to its containers. */
import type { Exit, RunId, Running, RunRefused } from "../runtimes/runtime.ts";
import { type ContainerFacts, factsOf, lastRun, type PodFacts } from "./facts.ts";
import type { PodAction } from "./plan.ts";
import { isLongRun } from "./restarts.ts";

/** An action was begun; how it went is told later. */
export function actionBegan(facts: PodFacts, action: PodAction, nowMs: number): PodFacts {
  switch (action.kind) {
    case "start": {
      const { container, attempt } = action;
      return change(facts, container, (known) => ({ ...known, attempt, isStarting: true }));
    }
    case "stop": {
      const stopping = { stoppingSinceMs: nowMs };
      const asked = changeAll(facts, action.containers, (known) => ({ ...known, ...stopping }));
      return facts.stoppingSinceMs === undefined ? { ...asked, ...stopping } : asked;
    }
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

/** Nothing that is told of a run after its end brings it back. */
export function runBegan(facts: PodFacts, running: Running): PodFacts {
  const { container, attempt } = running.id;
  return change(facts, container, (known) =>
    isOlder(attempt, known) ? known : { ...historyOf(known), attempt, running },
  );
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

/** The preStop hook is through, and the stop signal sent. */
export function stopWasSignalled(facts: PodFacts, container: string, nowMs: number): PodFacts {
  return change(facts, container, (known) => ({ ...known, signalledMs: nowMs }));
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
