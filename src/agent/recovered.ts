/** Pure: what an agent that starts finds of the runs of the one before it. */
import type { Exit, Running } from "./runtimes/runtime.ts";

export interface Recovered {
  readonly running: readonly Running[];
  readonly ended: readonly Exit[];
}

export const NOTHING_RECOVERED: Recovered = { running: [], ended: [] };

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
