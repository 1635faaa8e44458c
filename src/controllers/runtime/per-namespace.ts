/**
 * Keeps one object in every active namespace, as two of Kubernetes' small controllers do (for
 * ServiceAccount "default" and for ConfigMap "kube-root-ca.crt").
 */
import type { Client, ResourceType } from "../../api/client.ts";
import type { Namespace } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { namespaces } from "../../api/resources.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { ControllerContext, RunningController } from "./controller.ts";
import { KeyedWorker } from "./keyed-worker.ts";

export interface PerNamespace<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly name: string;
  /** The name used in metrics. */
  readonly queue: string;
  readonly desired: (namespace: string) => T;
  /**
   * Returns the corrected object, or undefined if the found one is correct. If absent, any object
   * of that name is accepted.
   */
  readonly repair?: (found: T) => T | undefined;
}

export async function keepPerNamespace<T extends KubeObject>(
  context: ControllerContext,
  rule: PerNamespace<T>,
): Promise<RunningController> {
  const { client, clock, random, log, metrics } = context;
  const spaces = await openCache({ client, type: namespaces, clock, random, log });
  const fieldSelector = `metadata.name=${rule.name}`;
  const kept = await openCache({ client, type: rule.type, clock, random, log, fieldSelector });
  const worker = new KeyedWorker({
    reconcile: (namespace) => ensure(client, rule, { spaces, kept }, namespace),
    clock,
    log,
    metrics,
    name: rule.queue,
  });
  spaces.onChange(({ object }) => worker.add(object.metadata.name ?? ""), { existing: true });
  kept.onChange(({ object }) => worker.add(object.metadata.namespace ?? ""));
  return {
    stop: () => {
      spaces.close();
      kept.close();
      worker.stop();
    },
  };
}

interface Seen<T extends KubeObject> {
  readonly spaces: Cache<Namespace>;
  readonly kept: Cache<T>;
}

/** If a cache is behind, the server rejects the write, and the retry uses the updated cache. */
async function ensure<T extends KubeObject>(
  client: Client,
  { type, name, desired, repair }: PerNamespace<T>,
  { spaces, kept }: Seen<T>,
  namespace: string,
): Promise<void> {
  const space = spaces.get("", namespace);
  if (!space || space.metadata.deletionTimestamp !== undefined) return;
  const found = kept.get(namespace, name);
  if (!found) {
    await client.create(type, desired(namespace));
    return;
  }
  const repaired = repair?.(found);
  if (repaired) await client.update(type, repaired);
}
