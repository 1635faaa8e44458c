/** What an agent that starts finds of the runs of the one before it. */
import type { Exit, Running, Runtime } from "./runtimes/runtime.ts";

export interface Recovered {
  readonly running: readonly Running[];
  readonly ended: readonly Exit[];
}

export const NOTHING_RECOVERED: Recovered = { running: [], ended: [] };

export interface RecoveredRuns extends Recovered {
  /** Runs that ended since; from here on the caller listens itself. */
  takeEarly(): readonly Exit[];
}

/** What ends between the answer and the first listener is kept: it is not told a second time. */
export async function recoverRuns(runtime: Runtime): Promise<RecoveredRuns> {
  const early: Exit[] = [];
  const listening = runtime.onExit((exit) => early.push(exit));
  const recovered = await runtime.recover();
  return {
    ...recovered,
    takeEarly: () => {
      listening.close();
      return early;
    },
  };
}

/** By the uid of the pod. */
export function byPod({ running, ended }: Recovered): Map<string, Recovered> {
  const found = new Map<string, { running: Running[]; ended: Exit[] }>();
  const of = (uid: string) => {
    const known = found.get(uid) ?? { running: [], ended: [] };
    found.set(uid, known);
    return known;
  };
  for (const run of running) of(run.id.podUid).running.push(run);
  for (const exit of ended) of(exit.id.podUid).ended.push(exit);
  return found;
}
