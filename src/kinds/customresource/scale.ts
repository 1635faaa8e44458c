/** Pure: the replicas of a custom resource, read and written by its scale subresource. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { CustomResourceSubresourceScale } from "../../api/generated/apiextensions.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { isObject, type JsonObject } from "./schema.ts";

export interface CustomScale {
  /** Undefined if the object has none. */
  readonly specReplicas: (object: KubeObject) => number | undefined;
  readonly statusReplicas: (object: KubeObject) => number;
  readonly selector: (object: KubeObject) => string;
  readonly setSpecReplicas: (object: Draft<KubeObject>, replicas: number) => void;
  readonly specReplicasPath: string;
  readonly validate: (object: KubeObject) => readonly Finding[];
}

export function customScale(paths: CustomResourceSubresourceScale): CustomScale {
  const spec = stepsOf(paths.specReplicasPath);
  const status = stepsOf(paths.statusReplicasPath);
  const selector = paths.labelSelectorPath ? stepsOf(paths.labelSelectorPath) : undefined;
  return {
    specReplicas: (object) => integerAt(object, spec),
    statusReplicas: (object) => integerAt(object, status) ?? 0,
    selector: (object) => {
      const found = selector && valueAt(object, selector);
      return typeof found === "string" ? found : "";
    },
    setSpecReplicas: (object, replicas) => setAt(object, spec, replicas),
    specReplicasPath: paths.specReplicasPath,
    validate: (object) => [
      ...validateReplicas(valueAt(object, spec), paths.specReplicasPath),
      ...validateReplicas(valueAt(object, status), paths.statusReplicasPath),
    ],
  };
}

/** ".spec.replicas" */
export function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}

export function valueAt(object: KubeObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = object as unknown as Json;
  for (const step of steps) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = (value as JsonObject)[step];
  }
  return value;
}

function integerAt(object: KubeObject, steps: readonly string[]): number | undefined {
  const value = valueAt(object, steps);
  return typeof value === "number" ? value : undefined;
}

function setAt(object: Draft<KubeObject>, steps: readonly string[], value: number): void {
  let parent = object as unknown as { [key: string]: Json };
  for (const step of steps.slice(0, -1)) {
    const child = Object.hasOwn(parent, step) ? parent[step] : undefined;
    const next = isObject(child) ? (child as { [key: string]: Json }) : {};
    parent[step] = next;
    parent = next;
  }
  parent[steps.at(-1) ?? ""] = value;
}

const MAX_REPLICAS = 2 ** 31 - 1;

function validateReplicas(value: Json | undefined, path: string): Finding[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "number") return [];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  if (value <= MAX_REPLICAS) return [];
  return [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)];
}
