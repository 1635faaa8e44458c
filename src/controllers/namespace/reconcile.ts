/**
 * Deletes the contents of one namespace, pods first, and removes its finalizer when it is empty.
 */
import type { Client, ResourceType } from "../../api/client.ts";
import type { Namespace, Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { namespaces } from "../../api/resources.ts";
import { millisecondsOf } from "../../api/time.ts";
import { unreachable } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { findObject, isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decide, isToBeEmptied } from "./decide.ts";
import { observeContent, observeCustomTypes } from "./observe.ts";
import { failedRemains, graceOf, type Remains, remainsOf } from "./remains.ts";

export interface Emptying {
  readonly client: Client;
  readonly clock: Clock;
  readonly types: readonly ResourceType[];
}

export async function reconcile(emptying: Emptying, name: string): Promise<Outcome> {
  const { client, clock } = emptying;
  const namespace = await findObject(client, namespaces, { name });
  if (!namespace || !isToBeEmptied(namespace)) return done;
  const remains = await empty(emptying, namespace);
  const { status, next } = decide({ namespace, remains, nowMs: clock.nowMs() });
  const told = status ? await client.updateStatus(namespaces, { ...namespace, status }) : namespace;
  switch (next.kind) {
    case "finalize":
      await client.finalize(namespaces, { ...told, spec: { finalizers: next.finalizers } });
      return done;
    case "wait":
      return after(next.delayMs);
    case "remain":
      throw new ItemsRemain(next.problem);
    case "fail":
      throw new Error(next.problem);
    default:
      return unreachable(next);
  }
}

/** Not an error to warn about: the reconcile is retried with growing delays. */
export class ItemsRemain extends Error {}

/** Other objects are deleted only after all pods are gone, because the pods may need them. */
async function empty(emptying: Emptying, namespace: Namespace): Promise<readonly Remains[]> {
  const custom = await observeCustomTypes(emptying.client);
  const types = [...emptying.types, ...custom].filter(({ namespaced }) => namespaced);
  const remains: Remains[] = [];
  for (const type of types.filter(isPods)) remains.push(await sweep(emptying, type, namespace));
  if (remains.some(({ count, failure }) => count > 0 || failure !== undefined)) return remains;
  for (const type of types) {
    if (!isPods(type)) remains.push(await sweep(emptying, type, namespace));
  }
  return remains;
}

function isPods({ group, resource }: ResourceType): boolean {
  return group === "" && resource === "pods";
}

/** A failure of one resource type does not prevent the deletion of the others. */
async function sweep(
  { client, clock }: Emptying,
  type: ResourceType,
  { metadata }: Namespace,
): Promise<Remains> {
  const { name = "", deletionTimestamp = "" } = metadata;
  let graceSeconds = 0;
  try {
    const items = await observeContent(client, type, name);
    if (isPods(type)) {
      const times = { deletedAtMs: millisecondsOf(deletionTimestamp), nowMs: clock.nowMs() };
      graceSeconds = graceOf(items as readonly Pod[], times);
    }
    await deleteAll(client, type, items);
    const left = items.length === 0 ? items : await observeContent(client, type, name);
    return remainsOf(type, name, left, graceSeconds);
  } catch (error) {
    return failedRemains(type, (error as Error).message, graceSeconds);
  }
}

/**
 * Background overrides an earlier policy: everything in the namespace is deleted, so no dependents
 * have to be kept or waited for.
 */
async function deleteAll(
  client: Client,
  type: ResourceType,
  items: readonly KubeObject[],
): Promise<void> {
  for (const { metadata } of items) {
    const { namespace = "", name = "" } = metadata;
    try {
      await client.delete(type, { namespace, name }, { propagationPolicy: "Background" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
