/**
 * Plays the nodes: every pod of a namespace succeeds immediately, whatever happens to the server.
 */
import type { Closable } from "../../src/api/client.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { pods } from "../../src/api/resources.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { openCache } from "../../src/client/cache.ts";
import type { RemoteClient } from "../../src/client/remote.ts";
import { KeyedWorker } from "../../src/controllers/runtime/keyed-worker.ts";

export interface InstantPods extends Closable {
  /** How many pods have succeeded, by completion index. */
  successes(): ReadonlyMap<string, number>;
}

const INDEX = "batch.kubernetes.io/job-completion-index";
/** Few at a time, so that a test still has work to disturb. */
const AT_ONCE = 8;

export async function playInstantPods(
  client: RemoteClient,
  namespace: string,
): Promise<InstantPods> {
  const clock = systemClock;
  const cache = await openCache({ client, type: pods, namespace, clock, log: silentLog });
  const succeeded = new Map<string, Set<string>>();
  const worker = new KeyedWorker({
    clock,
    log: silentLog,
    workers: AT_ONCE,
    retry: { firstMs: 200, maxMs: 2_000 },
    reconcile: async (name) => {
      const pod = cache.get(namespace, name);
      if (pod?.status?.phase !== "Pending") return;
      const body = { metadata: { uid: pod.metadata.uid }, status: { phase: "Succeeded" } };
      const request = { type: "merge", body, subresource: "status" } as const;
      await client.patch(pods, { namespace, name }, request);
    },
  });
  const note = (pod: Pod) => {
    if (pod.status?.phase !== "Succeeded") return;
    const index = pod.metadata.annotations?.[INDEX] ?? "";
    const uids = succeeded.get(index) ?? new Set();
    succeeded.set(index, uids.add(pod.metadata.uid ?? ""));
  };
  cache.onChange(
    ({ object }) => {
      note(object);
      worker.add(object.metadata.name ?? "");
    },
    { existing: true },
  );
  return {
    successes: () => new Map([...succeeded].map(([index, uids]) => [index, uids.size])),
    close: () => {
      worker.stop();
      cache.close();
    },
  };
}
