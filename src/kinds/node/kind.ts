/**
 * Pure: Nodes. A Node keeps the status it is created with, because its agent writes both at once.
 */
import type { Node } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { formatQuantity, getQuantity, roundUpToMilli } from "../../api/quantity.ts";
import { defineKind } from "../kind.ts";
import { cells } from "./cells.ts";
import { columns } from "./columns.ts";
import { validateNode, validateNodeStatusUpdate, validateNodeUpdate } from "./validate.ts";

export const nodeKind = defineKind<Node>({
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  singular: "node",
  namespaced: false,
  shortNames: ["no"],
  message: "core/v1.Node",
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      kind: "NodeProxyOptions",
    },
    { name: "status", verbs: ["get", "patch", "update"] },
  ],
  rules: {
    setDefaults,
    prepareForCreate: dropConfiguration,
    prepareForUpdate: dropConfiguration,
    validate: validateNode,
    warningsOnCreate: nodeWarnings,
    validateUpdate: validateNodeUpdate,
    warningsOnUpdate: nodeWarnings,
    validateStatusUpdate: validateNodeStatusUpdate,
  },
  selectableFields: {
    "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false),
  },
  columns,
  cells,
});

function setDefaults({ spec, status }: Draft<Node>): void {
  if (status.capacity) status.allocatable ??= { ...status.capacity };
  roundAmounts(status.capacity);
  roundAmounts(status.allocatable);
  // podCIDR, which is older, is the first of podCIDRs, and wins if they differ.
  const { podCIDR, podCIDRs = [] } = spec;
  if (podCIDR !== undefined && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
  else if (podCIDR === undefined && podCIDRs[0] !== undefined) spec.podCIDR = podCIDRs[0];
}

function roundAmounts(amounts: { [resource: string]: string } | undefined): void {
  for (const [resource, amount] of Object.entries(amounts ?? {})) {
    if (amounts) amounts[resource] = formatQuantity(roundUpToMilli(getQuantity(amount)));
  }
}

/** Fields of a removed feature (dynamic configuration) that nothing reads any more. */
function dropConfiguration({ spec, status }: Draft<Node>): void {
  delete spec.configSource;
  delete status.config;
}

function nodeWarnings({ spec }: Node): string[] {
  if (spec.externalID === undefined) return [];
  return ["spec.externalID: this field is deprecated, and is unused by Kubernetes"];
}
