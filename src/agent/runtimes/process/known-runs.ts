/** Pure: what becomes of the runs a server knows when another spawner takes the place of theirs. */
import type { EndedRun, News, RunningRun, StartOrder } from "../../spawner/protocol.ts";

export type AllNews = Extract<News, { news: "all" }>;

export interface KnownRun {
  readonly running: RunningRun;
  /** Absent where an earlier server asked for it. */
  readonly order?: StartOrder;
}

export interface SettledRuns {
  readonly ended: readonly EndedRun[];
  /** To be asked for again. */
  readonly again: readonly StartOrder[];
}

/**
 * A run is on record from before it begins until the server forgets it. A run that is on no record
 * never began: the shell that was to run it ended before it had read the order.
 */
export function settleRuns(
  known: Iterable<KnownRun>,
  all: AllNews,
  finishedMs: number,
): SettledRuns {
  const alive = new Set(all.running.map(({ run }) => run));
  const ends = new Map(all.ended.map((end) => [end.run, end]));
  const ended: EndedRun[] = [];
  const again: StartOrder[] = [];
  for (const { running, order } of known) {
    if (alive.has(running.run)) continue;
    const end = ends.get(running.run);
    if (end === undefined && order !== undefined) again.push(order);
    else ended.push(end ?? lose(running, finishedMs));
  }
  return { ended, again };
}

function lose({ run, startedMs }: RunningRun, finishedMs: number): EndedRun {
  return { run, exitCode: LOST, startedMs, finishedMs, isLost: true };
}

const LOST = 137;
