/**
 * Deletes the contents of a deleted namespace, reports the progress in its conditions, and removes
 * its finalizer at the end.
 *
 * Reading order: this file, reconcile, observe (what is left), decide, conditions. The resource
 * types are an argument. The only kind known here is Pod, because pods take time to end.
 */
import type { ResourceType } from "../../api/client.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { namespaces, pods } from "../../api/resources.ts";
import { openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { isToBeEmptied } from "./decide.ts";
import { ItemsRemain, reconcile } from "./reconcile.ts";

/** The same number as in Kubernetes. */
const WORKERS = 10;

/** `types` must support list and delete. */
export function namespaceController(types: readonly ResourceType[]): Controller {
  return { name: "namespace", start: (context) => start(context, types) };
}

async function start(
  { client, clock, random, log, metrics }: ControllerContext,
  types: readonly ResourceType[],
): Promise<RunningController> {
  const spaces = await openCache({ client, type: namespaces, clock, random, log });
  const podCache = await openCache({ client, type: pods, clock, random, log });
  const worker = new KeyedWorker({
    reconcile: (name) => reconcile({ client, clock, types }, name),
    workers: WORKERS,
    isExpected: (error) => error instanceof ItemsRemain,
    name: "namespace",
    clock,
    log,
    metrics,
  });
  const addIfDue = (name: string, namespace: Namespace | undefined) => {
    if (namespace && isToBeEmptied(namespace)) worker.add(name);
  };
  // Start at once. Kubernetes waits five seconds, so that its other API servers see the deletion.
  spaces.onChange(
    ({ type, object }) => {
      const { name = "" } = object.metadata;
      if (type === "DELETED") worker.forget(name);
      else addIfDue(name, object);
    },
    { existing: true },
  );
  const podsLeft = new Map<string, number>();
  podCache.onChange(
    ({ type, object }) => {
      const { namespace = "" } = object.metadata;
      const change = { ADDED: 1, MODIFIED: 0, DELETED: -1 }[type];
      const left = (podsLeft.get(namespace) ?? 0) + change;
      podsLeft.set(namespace, left);
      if (left > 0) return;
      podsLeft.delete(namespace);
      addIfDue(namespace, spaces.get("", namespace));
    },
    { existing: true },
  );
  return {
    stop: () => {
      spaces.close();
      podCache.close();
      worker.stop();
    },
  };
}
