/** Keeps one object in every active namespace, as two of Kubernetes' smaller controllers do. */
import type { Client, ResourceType } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { namespaces } from "../../api/resources.ts";
import type { ControllerContext, RunningController } from "./controller.ts";
import { KeyedWorker } from "./keyed-worker.ts";

export interface PerNamespace<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly name: string;
  readonly desired: (namespace: string) => T;
  /** What is there as it should be, or undefined if it is. Absent where existence is enough. */
  readonly repair?: (found: T) => T | undefined;
}

export async function keepPerNamespace<T extends KubeObject>(
  { client, clock, log }: ControllerContext,
  rule: PerNamespace<T>,
): Promise<RunningController> {
  const reconcile = (namespace: string) => ensure(client, rule, namespace);
  const worker = new KeyedWorker({ reconcile, clock, log });
  const spaces = await client.list(namespaces);
  const { resourceVersion } = spaces;
  for (const { metadata } of spaces.items) worker.add(metadata.name ?? "");
  const onEnd = (error?: Error) => {
    if (error) log.error("watch ended", { error: error.message });
  };
  const watches = [
    client.watch(
      namespaces,
      { resourceVersion },
      {
        onEvent: ({ object }) => worker.add(object.metadata.name ?? ""),
        onEnd,
      },
    ),
    client.watch(
      rule.type,
      { resourceVersion, fieldSelector: `metadata.name=${rule.name}` },
      {
        onEvent: ({ object }) => worker.add(object.metadata.namespace ?? ""),
        onEnd,
      },
    ),
  ];
  return {
    stop: () => {
      for (const watch of watches) watch.close();
      worker.stop();
    },
  };
}

async function ensure<T extends KubeObject>(
  client: Client,
  rule: PerNamespace<T>,
  namespace: string,
): Promise<void> {
  const space = await findOrNone(client.get(namespaces, { name: namespace }));
  if (!space || space.metadata.deletionTimestamp !== undefined) return;
  const found = await findOrNone(client.get(rule.type, { namespace, name: rule.name }));
  if (!found) {
    await client.create(rule.type, rule.desired(namespace));
    return;
  }
  const repaired = rule.repair?.(found);
  if (repaired) await client.update(rule.type, repaired);
}

async function findOrNone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return undefined;
    throw error;
  }
}
