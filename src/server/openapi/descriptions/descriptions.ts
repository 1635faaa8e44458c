/**
 * The descriptions of types and fields for kubectl explain, in Tally's own words. One file per area
 * maps "batch/v1.JobSpec" or "batch/v1.JobSpec.completions" to a sentence or two; fields without an
 * entry are served without a description.
 */
import { batchDescriptions } from "./batch.ts";
import { clusterDescriptions } from "./cluster.ts";
import { containerDescriptions } from "./container.ts";
import { metaDescriptions } from "./meta.ts";
import { podDescriptions } from "./pod.ts";
import { serviceDescriptions } from "./service.ts";
import { statefulSetDescriptions } from "./statefulset.ts";
import { volumeDescriptions } from "./volume.ts";

export const descriptions: { readonly [typeOrField: string]: string } = {
  ...batchDescriptions,
  ...clusterDescriptions,
  ...containerDescriptions,
  ...metaDescriptions,
  ...podDescriptions,
  ...serviceDescriptions,
  ...statefulSetDescriptions,
  ...volumeDescriptions,
};

export function describe(schemaName: string): string | undefined {
  const known = descriptions[typeName(schemaName)];
  if (known !== undefined) return known;
  const list = /([A-Za-z]+)List$/.exec(schemaName)?.[1];
  return list === undefined ? undefined : `A list of ${list} objects.`;
}

export function describeProperty(
  schemaName: string,
  property: string,
  isKind: boolean,
): string | undefined {
  const known = descriptions[`${typeName(schemaName)}.${property}`];
  return known ?? (isKind ? OF_EVERY_KIND[property] : undefined);
}

/** "io.k8s.api.batch.v1.JobSpec" becomes "batch/v1.JobSpec". */
export function typeName(schemaName: string): string {
  const [name = "", version = "", group = ""] = schemaName.split(".").reverse();
  return `${group}/${version}.${name}`;
}

const OF_EVERY_KIND: { readonly [property: string]: string } = {
  apiVersion: "The group and version in which this object is written, such as batch/v1.",
  kind: "The name of the type of this object.",
  metadata: "Name, labels and everything else that objects of all kinds have in common.",
  spec: "The desired state.",
  status: "The observed state. Written by the system; users only read it.",
  items: "The objects of the list.",
};
