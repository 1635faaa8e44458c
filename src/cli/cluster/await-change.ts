/** Waits until an object is as wanted, or gone, however often watches break off. */
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Cluster } from "./cluster.ts";
import type { NamedTarget } from "./named-objects.ts";
import { findObjects, watchRequest } from "./object-requests.ts";
import { eventsOf } from "./watch-events.ts";

export type Awaited = { readonly object: KubeObject | undefined } | "timed out";

/**
 * Looks at once, then at each change. The object is undefined while there is none. Settles with
 * the first state that is wanted; a time limit of 0 looks only once.
 */
export async function awaitChange(
  cluster: Cluster,
  target: NamedTarget,
  isWanted: (object: KubeObject | undefined) => boolean,
  { timeoutMs, clock = systemClock }: { readonly timeoutMs: number; readonly clock?: Clock },
): Promise<Awaited> {
  const abort = new AbortController();
  const timer = timeoutMs > 0 ? clock.schedule(timeoutMs, () => abort.abort()) : undefined;
  try {
    for (;;) {
      const first = await readState(cluster, target);
      if (isWanted(first.object)) return { object: first.object };
      if (timeoutMs === 0) return "timed out";
      const seen = await watchFrom(cluster, target, first.resourceVersion, isWanted, abort.signal);
      if (seen) return seen;
    }
  } catch (error) {
    if (abort.signal.aborted) return "timed out";
    throw error;
  } finally {
    timer?.cancel();
    abort.abort();
  }
}

interface State {
  readonly object: KubeObject | undefined;
  readonly resourceVersion: string;
}

/** By a list, because only a list says from where to watch an object that is not there. */
async function readState(cluster: Cluster, target: NamedTarget): Promise<State> {
  const { name, object: _, ...collection } = target;
  const found = await findObjects(cluster, collection, { fieldSelector: `metadata.name=${name}` });
  return { object: found.objects[0], resourceVersion: found.resourceVersion };
}

/** Undefined where the watch ended before: the next look tells what was missed. */
async function watchFrom(
  cluster: Cluster,
  target: NamedTarget,
  resourceVersion: string,
  isWanted: (object: KubeObject | undefined) => boolean,
  signal: AbortSignal,
): Promise<Awaited | undefined> {
  const request = watchRequest(target, {}, { resourceVersion });
  try {
    for await (const { type, object } of eventsOf<KubeObject>(cluster, request, signal)) {
      const present = type === "DELETED" ? undefined : object;
      if (isWanted(present)) return { object: present };
    }
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 410;
    if (!isGone) throw error;
  }
  return undefined;
}
