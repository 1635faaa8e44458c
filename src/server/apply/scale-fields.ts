/** Pure: converts the managers of a replica count between an object and its scale. */

import type { Entries } from "./field-manager.ts";
import { difference, equalSets, hasPath, isEmptySet, setOfPath } from "./field-set.ts";
import { formatManaged, identify, type Managed, managedOf, type Owned } from "./managed-fields.ts";

const SCALE_VERSION = "autoscaling/v1";
const REPLICAS = setOfPath(["f:spec", "f:replicas"]);

/** The managedFields of the scale of an object of this version. */
export function toScaleFields(
  parent: Entries | undefined,
  apiVersion: string,
  replicasPath: readonly string[],
): Entries | undefined {
  const managed = new Map<string, Owned>();
  for (const { name, fields, time } of managedOf(parent).values()) {
    if (name.apiVersion !== apiVersion || !hasPath(fields, replicasPath)) continue;
    const scaled = { ...name, apiVersion: SCALE_VERSION };
    managed.set(identify(scaled), { name: scaled, fields: REPLICAS, time });
  }
  return formatManaged(managed);
}

/** The managedFields of the object after its scale was written. New managers have no time. */
export function fromScaleFields(
  parent: Entries | undefined,
  scale: Entries | undefined,
  apiVersion: string,
  replicasPath: readonly string[],
): Entries | undefined {
  const replicas = setOfPath(replicasPath);
  const scaled = inParentVersion(managedOf(scale), apiVersion);
  const managed = new Map<string, Owned>();
  for (const [id, owned] of managedOf(parent)) {
    const { name, fields, time } = owned;
    if (name.apiVersion !== apiVersion) continue;
    if (!hasPath(fields, replicasPath) || scaled.has(id)) {
      managed.set(id, owned);
      scaled.delete(id);
      continue;
    }
    const left = difference(fields, replicas);
    if (!isEmptySet(left)) managed.set(id, { name, fields: left, time });
  }
  for (const [id, { name, fields }] of scaled) {
    if (equalSets(fields, REPLICAS)) managed.set(id, { name, fields: replicas });
  }
  return formatManaged(managed);
}

function inParentVersion(scale: Managed, apiVersion: string): Map<string, Owned> {
  const out = new Map<string, Owned>();
  for (const owned of scale.values()) {
    const name = { ...owned.name, apiVersion };
    out.set(identify(name), { name, fields: owned.fields, time: owned.time });
  }
  return out;
}
