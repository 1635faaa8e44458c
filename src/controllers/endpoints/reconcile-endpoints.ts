/** Updates the Endpoints object of one Service: the older format, which some clients still read. */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Endpoints, Service } from "../../api/generated/core.ts";
import { endpoints } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { endpointsLabels } from "./labels.ts";
import { type Caches, keyOf, selectedPods } from "./observe.ts";
import { subsetsOf, truncated } from "./subsets.ts";
import { type SeenTimes, triggerTimeOf, withTriggerTime } from "./trigger-times.ts";

const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

export interface EndpointsSync {
  readonly client: Client;
  readonly caches: Caches;
  /** By the key of the Service. */
  readonly seenTimes: Map<string, SeenTimes>;
}

export async function reconcileEndpoints(sync: EndpointsSync, service: Service): Promise<void> {
  const { client, caches, seenTimes } = sync;
  const { namespace = "", name = "" } = service.metadata;
  const pods = selectedPods(caches, service);
  const { seen, changedAt } = triggerTimeOf(service, pods, seenTimes.get(keyOf(service)));
  const { subsets, isTruncated } = truncated(subsetsOf(service, pods));
  const present = await findObject(client, endpoints, { namespace, name });
  const wanted = { subsets, labels: endpointsLabels(service), isTruncated };
  if (!present || !isAsWanted(present, wanted)) {
    const { [OVER_CAPACITY]: _over, ...others } = present?.metadata.annotations ?? {};
    const over = isTruncated ? { [OVER_CAPACITY]: "truncated" } : {};
    const next: Endpoints = {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: {
        ...(present?.metadata ?? { name, namespace }),
        labels: wanted.labels,
        annotations: withTriggerTime({ ...others, ...over }, changedAt),
      },
      ...(subsets.length > 0 ? { subsets } : {}),
    };
    await (present ? client.update(endpoints, next) : client.create(endpoints, next));
  }
  seenTimes.set(keyOf(service), seen);
}

interface Wanted {
  readonly subsets: Endpoints["subsets"];
  readonly labels: Endpoints["metadata"]["labels"];
  readonly isTruncated: boolean;
}

function isAsWanted({ metadata, subsets = [] }: Endpoints, wanted: Wanted): boolean {
  const isMarked = metadata.annotations?.[OVER_CAPACITY] !== undefined;
  return (
    isMarked === wanted.isTruncated &&
    isEqual(metadata.labels ?? {}, wanted.labels) &&
    isEqual(subsets, wanted.subsets)
  );
}
