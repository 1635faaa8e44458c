/** Pure: what the journal of the tasks says: each attempt, and what became of it. */
import type { Begin, History, LegSeen } from "./history.ts";

export interface Attempt {
  readonly task: string;
  readonly number: number;
  readonly begin: Begin;
  /** Lines of the journal. */
  readonly beginAt: number;
  readonly end?: { readonly at: number; readonly code: number };
  readonly fate: Fate;
}

/**
 * ended: it came to its end, and that was recorded.
 * lost: its slot was killed before it could record the end. It counts, and the item runs again.
 * doubtful: it ended at about the time of such a kill. It may be recorded or lost.
 * stopped: the program ended it on request. It does not count.
 * cut: it failed when the program was about to end it on request. It may count or not.
 * vanished: the program ended it without a request.
 */
export type Fate = "ended" | "lost" | "doubtful" | "stopped" | "cut" | "vanished";

const TERMINATED = 143;
/** The parent of a task whose slot was killed before the task wrote its first line. */
const INIT = 1;

export function attemptsOf(history: History): readonly Attempt[] {
  const { journal } = history;
  const ends = new Map<string, { at: number; code: number }>();
  journal.forEach((line, at) => {
    if (line.kind === "end") ends.set(`${line.task} ${line.attempt}`, { at, code: line.code });
  });
  const lastOfSlot = new Map<number, number>();
  journal.forEach((line, at) => {
    if (line.kind === "begin") lastOfSlot.set(line.slot, at);
  });
  return journal.flatMap((begin, beginAt) => {
    if (begin.kind !== "begin" || begin.task === undefined) return [];
    const { task, attempt: number } = begin;
    const end = ends.get(`${task} ${number}`);
    const isLast = lastOfSlot.get(begin.slot) === beginAt;
    const killed = isLast ? slotKill(history.legs, begin.slot) : undefined;
    const fate = fateOf({ begin, beginAt, end, killed, history });
    return [{ task, number, begin, beginAt, fate, ...(end ? { end } : {}) }];
  });
}

function slotKill(legs: readonly LegSeen[], slot: number) {
  return legs.find(({ interrupted }) => interrupted?.slots.includes(slot))?.interrupted;
}

function fateOf(given: {
  readonly begin: Begin;
  readonly beginAt: number;
  readonly end: { readonly at: number; readonly code: number } | undefined;
  readonly killed: { readonly from: number; readonly to: number } | undefined;
  readonly history: History;
}): Fate {
  const { begin, beginAt, end, killed, history } = given;
  const { legs } = history;
  if (begin.slot === INIT && legs.some(({ interrupted }) => interrupted?.slots.length)) {
    return "lost";
  }
  if (killed) return end === undefined || end.at >= killed.to ? "lost" : "doubtful";
  if (end !== undefined && end.code !== TERMINATED) {
    return end.code !== 0 && isCut(history, begin.run, end.at) ? "cut" : "ended";
  }
  const own = legs.filter(({ leg, to }) => leg.run === begin.run && to > beginAt);
  const isAsked = own.some(({ interrupted }) => isStop(interrupted?.act));
  return isAsked || haltsNow(legs, begin.run) ? "stopped" : "vanished";
}

/** Whether the program was ending tasks when this one ended by itself. */
function isCut({ legs, journal }: History, run: string, at: number): boolean {
  return legs.some(({ leg, from, to, interrupted }) => {
    if (leg.run !== run || at < from || at >= to) return false;
    if (interrupted && isStop(interrupted.act) && interrupted.from <= at) return true;
    const failures = journal
      .slice(from, at)
      .filter((line) => line.kind === "end" && line.task.startsWith(`${run} `) && line.code !== 0);
    return failures.length > fewestFailures(legs, run);
  });
}

function isStop(act: string | undefined): boolean {
  return act === "interrupt twice" || act === "terminate";
}

export function haltsNow(legs: readonly LegSeen[], run: string): boolean {
  return fewestFailures(legs, run) < Number.POSITIVE_INFINITY;
}

/** How many failures a run may have before what runs is ended. */
function fewestFailures(legs: readonly LegSeen[], run: string): number {
  const limits = legs.flatMap(({ leg: { command, ...leg } }) => {
    if (leg.run !== run || command.kind !== "run" || command.flags.halt === "soon") return [];
    const { halt, maxFailed } = command.flags;
    return maxFailed ?? (halt === "now" ? 0 : []);
  });
  return Math.min(...limits);
}
