/** Updates the EndpointSlices of one Service. */
import type { Client } from "../../api/client.ts";
import type { Service } from "../../api/generated/core.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import { endpointSlices } from "../../api/resources.ts";
import { isNotFound } from "../../client/find.ts";
import { SLICE_CONTROLLER, SLICE_MANAGER, sliceLabels } from "./labels.ts";
import { familiesOf } from "./members.ts";
import { BY_SERVICE, type Caches, keyOf, selectedPods } from "./observe.ts";
import { groupEndpoints } from "./slice-endpoints.ts";
import { planSlices, type SliceContent, type SlicePlan } from "./slice-plan.ts";
import { type SeenTimes, triggerTimeOf, withTriggerTime } from "./trigger-times.ts";

export interface SliceSync {
  readonly client: Client;
  readonly caches: Caches;
  /** By the key of the Service. */
  readonly seenTimes: Map<string, SeenTimes>;
}

export async function reconcileSlices(sync: SliceSync, service: Service): Promise<void> {
  const { caches, seenTimes } = sync;
  const key = keyOf(service);
  const pods = selectedPods(caches, service);
  const { seen, changedAt } = triggerTimeOf(service, pods, seenTimes.get(key));
  const own = caches.slices.find(BY_SERVICE, key).filter(isOurs);
  const families = familiesOf(service);
  const foreign = own.filter(({ addressType }) => !families.some((each) => each === addressType));
  await removeAll(sync.client, foreign);
  for (const family of families) {
    const findNode = (name: string) => caches.nodes.get("", name);
    const groups = groupEndpoints({ service, pods, findNode }, family);
    const present = own.filter(({ addressType }) => addressType === family);
    const plan = planSlices(present, groups, sliceLabels(service));
    await carryOut(sync, plan, (content, slice) =>
      composeSlice(service, { family, changedAt }, content, slice),
    );
  }
  seenTimes.set(key, seen);
}

function isOurs({ metadata }: EndpointSlice): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return metadata.labels?.[SLICE_MANAGER] === SLICE_CONTROLLER;
}

/** Waits until the cache shows each write. Otherwise the next reconcile would write it again. */
async function carryOut(
  { client, caches }: SliceSync,
  { create, update, remove }: SlicePlan,
  compose: (content: SliceContent, slice?: EndpointSlice) => EndpointSlice,
): Promise<void> {
  for (const content of create) {
    await seen(caches, await client.create(endpointSlices, compose(content)));
  }
  for (const { slice, content } of update) {
    await seen(caches, await client.update(endpointSlices, compose(content, slice)));
  }
  await removeAll(client, remove);
}

function seen({ slices }: Caches, { metadata }: EndpointSlice): Promise<void> {
  return slices.seen(metadata.resourceVersion ?? "0");
}

async function removeAll(client: Client, slices: readonly EndpointSlice[]): Promise<void> {
  for (const { metadata } of slices) {
    const { namespace = "", name = "" } = metadata;
    await client.delete(endpointSlices, { namespace, name }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

interface SliceTraits {
  readonly family: string;
  readonly changedAt: string | undefined;
}

function composeSlice(
  service: Service,
  { family, changedAt }: SliceTraits,
  { ports, endpoints }: SliceContent,
  slice?: EndpointSlice,
): EndpointSlice {
  const { namespace = "", name = "", uid = "" } = service.metadata;
  const annotations = withTriggerTime(slice?.metadata.annotations, changedAt);
  const owner = { apiVersion: "v1", kind: "Service", name, uid };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...(slice?.metadata ?? { generateName: `${name}-`, namespace }),
      labels: sliceLabels(service),
      annotations,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    addressType: family,
    endpoints,
    ports: ports.length > 0 ? ports : null,
  };
}
