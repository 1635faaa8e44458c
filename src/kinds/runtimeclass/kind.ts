/** Pure: RuntimeClasses: the container runtime of a pod, and its overhead. */

import { duplicate, type Finding, invalid, required } from "../../api/finding.ts";
import type { Toleration } from "../../api/generated/core.ts";
import type { RuntimeClass } from "../../api/generated/node.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { age } from "../../api/print/age.ts";
import { repeats } from "../../base/repeats.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateLabels } from "../meta/labels.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { validateContainerResources } from "../pod/validate-resources.ts";
import { validateTolerations } from "../pod/validate-scheduling.ts";

export const runtimeClassKind = defineKind<RuntimeClass>({
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  singular: "runtimeclass",
  namespaced: false,
  message: "node/v1.RuntimeClass",
  createsOnUpdate: true,
  requiresResourceVersion: true,
  rules: { validate, validateUpdate },
  columns: [
    nameColumn,
    // The description is empty in Kubernetes, too: it is looked up in the wrong type.
    column("Handler", ""),
    ageColumn,
  ],
  cells: ({ metadata, handler }, now) => [
    metadata.name ?? "",
    handler,
    age(metadata.creationTimestamp, now),
  ],
});

function validate({ metadata, handler, overhead, scheduling }: RuntimeClass): Finding[] {
  const rules = { namespaced: false, nameRule: dns1123Subdomain };
  return [
    ...validateObjectMeta(metadata, rules),
    ...validateHandler(handler),
    // The overhead of the runtime is validated like the limits of a container.
    ...validateContainerResources({ limits: overhead?.podFixed ?? {} }, "overhead", new Set()),
    ...validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
    ...validateSchedulingTolerations(scheduling?.tolerations ?? [], "scheduling.tolerations"),
  ];
}

function validateHandler(handler: string): Finding[] {
  if (handler === "") return [required("handler")];
  return dns1123Label(handler).map((problem) => invalid("handler", handler, problem));
}

/** They are added to the tolerations of a pod, so duplicates are not allowed. */
function validateSchedulingTolerations(
  tolerations: readonly Toleration[],
  path: string,
): Finding[] {
  const isRepeated = repeats(tolerations, (each) => JSON.stringify(tolerationDump(each)));
  const repeated = tolerations.flatMap((toleration, at) =>
    isRepeated[at] ? [duplicate(`${path}[${at}]`, tolerationDump(toleration))] : [],
  );
  return [...validateTolerations(tolerations, path), ...repeated];
}

/** The format in which Kubernetes prints its internal type in a message. */
function tolerationDump(toleration: Toleration): object {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  return {
    Key: key,
    Operator: operator,
    Value: value,
    Effect: effect,
    TolerationSeconds: tolerationSeconds ?? null,
  };
}

function validateUpdate(next: RuntimeClass, old: RuntimeClass): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateImmutable(next.handler, old.handler, "handler"),
  ];
}
