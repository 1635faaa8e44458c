/** The smallest objects that the tests of the store need. */
import type { Draft, KubeObject } from "../../src/api/object.ts";
import type { ObjectKey } from "../../src/store/types.ts";

export interface Sample extends KubeObject {
  readonly data: { readonly value: string; readonly color?: string };
}

export function keyOf(name: string, namespace = "default"): ObjectKey {
  return { resource: "configmaps", namespace, name };
}

export function aSample(key: ObjectKey, value = "", color?: string): Draft<Sample> {
  const metadata = { name: key.name, namespace: key.namespace };
  const data = color === undefined ? { value } : { value, color };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

export function sampleValue(object: KubeObject | undefined): string | undefined {
  return (object as Sample | undefined)?.data.value;
}

export function revisionOf(object: KubeObject): number {
  return Number(object.metadata.resourceVersion);
}
