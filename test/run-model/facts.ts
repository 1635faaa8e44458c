/** Pure: all that is known of one run in one world, and the questions that several laws ask. */
import type { Attempt } from "./attempts.ts";
import type { History } from "./history.ts";
import type { Story } from "./story.ts";
import type { Context } from "./world.ts";

/** All that is known of one run in one world. */
export interface RunFacts {
  readonly story: Story;
  readonly run: string;
  readonly history: History;
  readonly contexts: readonly Context[];
  /** In the order in which they began. */
  readonly attempts: readonly Attempt[];
  readonly keys: ReadonlyMap<string, number>;
}

export function contextAt({ contexts }: RunFacts, line: number): Context | undefined {
  return contexts.findLast(({ from }) => from <= line);
}

export function byTask(attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> {
  const all = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    all.set(attempt.task, [...(all.get(attempt.task) ?? []), attempt]);
  }
  return all;
}

/** For sure. */
export function hasSucceeded({ fate, end }: Attempt): boolean {
  return fate === "ended" && end?.code === 0;
}

/** Failures that count, of attempts that began at this line or later. */
export function failuresIn(attempts: readonly Attempt[], from: number): number {
  return attempts.filter(
    ({ fate, end, beginAt }) => fate === "ended" && end?.code !== 0 && beginAt >= from,
  ).length;
}

/** With those that may count. */
export function mostFailuresIn(attempts: readonly Attempt[], from: number): number {
  const isPossible = ({ fate, end }: Attempt) =>
    (fate === "cut" || fate === "doubtful") && end?.code !== 0;
  const possible = attempts.filter((each) => isPossible(each) && each.beginAt >= from).length;
  return failuresIn(attempts, from) + possible;
}

export type State = "succeeded" | "failed" | "stopped" | "open";

/** What became of an item by the end of a command: by its last attempt. */
export function stateAt(facts: RunFacts, context: Context, task: string): State {
  const { epochFrom, seen } = context;
  const last = facts.attempts.findLast(
    (each) => each.task === task && each.beginAt >= epochFrom && each.beginAt < seen.to,
  );
  if (!last || last.fate === "lost" || isNamedSince(facts, context, last)) return "open";
  if (last.fate === "stopped" || last.fate === "vanished") return "stopped";
  if (last.end === undefined || last.end.at >= seen.to) return "open";
  return last.end.code === 0 ? "succeeded" : "failed";
}

/** The user has asked for the item again after its last attempt. One that runs is not run twice. */
export function isNamedSince({ contexts }: RunFacts, context: Context, last: Attempt): boolean {
  const isOver = last.end?.at ?? last.beginAt;
  // By order, not by place in the journal: a command that runs nothing writes nothing there.
  return contexts
    .slice(0, contexts.indexOf(context) + 1)
    .some(
      (each) =>
        each.epochFrom === context.epochFrom &&
        each.from > isOver &&
        each.named.includes(last.task),
    );
}

/** The engine of another run continues this one too, before a command follows it. */
export function mayGoOnUnseen({ history, run, contexts }: RunFacts, context: Context): boolean {
  const isFresh = contexts[0] === context || context.epochFrom === context.from;
  return !isFresh && history.legs.some(({ leg }) => leg.run !== run);
}

/** More failures than the user allows: then items may be left. */
export function isHalted({ flags }: Context, states: readonly State[]): boolean {
  const { halt, maxFailed = halt === undefined ? Number.POSITIVE_INFINITY : 0 } = flags;
  return states.filter((state) => state === "failed" || state === "stopped").length > maxFailed;
}
