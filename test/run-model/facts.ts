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

export type State = "succeeded" | "failed" | "stopped" | "open";

/** What became of an item by the end of a command: by its last attempt. */
export function stateAt(facts: RunFacts, { epochFrom, seen }: Context, task: string): State {
  const last = facts.attempts.findLast(
    (each) => each.task === task && each.beginAt >= epochFrom && each.beginAt < seen.to,
  );
  if (!last || last.fate === "lost") return "open";
  if (last.fate === "stopped" || last.fate === "vanished") return "stopped";
  if (last.end === undefined || last.end.at >= seen.to) return "open";
  return last.end.code === 0 ? "succeeded" : "failed";
}

/** More failures than the user allows: then items may be left. */
export function isHalted({ flags }: Context, states: readonly State[]): boolean {
  const { halt, maxFailed = halt === undefined ? Number.POSITIVE_INFINITY : 0 } = flags;
  return states.filter((state) => state === "failed" || state === "stopped").length > maxFailed;
}
