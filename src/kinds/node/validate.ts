/** Pure: validates a Node. Errors in taints are reported under metadata, where taints once were. */

import {
  type Finding,
  forbidden,
  internal,
  invalid,
  notSupported,
  required,
} from "../../api/finding.ts";
import type { Node, Taint } from "../../api/generated/core.ts";
import { dns1123Subdomain, labelValue } from "../../api/names.ts";
import { repeats } from "../../base/repeats.ts";
import { cidrFamily, validateCidr } from "../meta/addresses.ts";
import { validateLabelName } from "../meta/labels.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateNode(node: Node): Finding[] {
  return [
    ...validateObjectMeta(node.metadata, { namespaced: false, nameRule: dns1123Subdomain }),
    ...validateTaints(node.spec.taints ?? []),
    ...validateResources(node),
    ...validatePodCidrs(node.spec.podCIDRs ?? []),
  ];
}

export function validateNodeUpdate(next: Node, old: Node): Finding[] {
  return [...validateNode(next), ...validateNodeStatusUpdate(next, old)];
}

export function validateNodeStatusUpdate(next: Node, old: Node): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateResources(next),
    ...validateAddresses(next),
    ...validateAssigned(next, old),
    ...validateTaints(next.spec.taints ?? []),
    ...(next.spec.externalID === old.spec.externalID
      ? []
      : [forbidden("spec.externalID", "may not be updated")]),
  ];
}

function validateTaints(taints: readonly Taint[]): Finding[] {
  const repeated = repeats(taints, ({ key, effect }) => JSON.stringify([key, effect]));
  return taints.flatMap((taint, at) => {
    const { key, value = "", effect } = taint;
    const path = `metadata.taints[${at}]`;
    const findings = validateLabelName(key, `${path}.key`);
    const problems = labelValue(value);
    if (problems.length > 0) findings.push(invalid(`${path}.value`, value, problems.join(";")));
    if (effect === "") findings.push(required(`${path}.effect`));
    else if (!EFFECTS.includes(effect)) {
      findings.push(notSupported(`${path}.effect`, effect, EFFECTS));
    }
    return repeated[at] ? [...findings, repeatedTaint(taint, path)] : findings;
  });
}

function repeatedTaint({ key, value = "", effect, timeAdded }: Taint, path: string): Finding {
  const added = timeAdded ?? null;
  const shown = JSON.stringify({ Key: key, Value: value, Effect: effect, TimeAdded: added });
  const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`;
  return { type: "Duplicate", field: path, message };
}

function validateResources({ status }: Node): Finding[] {
  return (["capacity", "allocatable"] as const).flatMap((field) =>
    Object.entries(status[field] ?? {}).flatMap(([resource, amount]) =>
      validateResourceAmount(resource, amount, `status.${field}.${resource}`),
    ),
  );
}

function validatePodCidrs(ranges: readonly string[]): Finding[] {
  const path = "spec.podCIDRs";
  const findings = ranges.flatMap((range, at) => validateCidr(range, `${path}[${at}]`));
  if (ranges.length < 2) return findings;
  const families = ranges.map(cidrFamily);
  const unread = families.indexOf(undefined);
  if (unread >= 0) {
    const problem = `invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${ranges[unread]})`;
    const step = "invalid PodCIDRs. failed to check with dual stack with error:";
    findings.push(internal(path, `${step}${problem}`));
  }
  if (unread < 0 && ranges.length === 2 && families[0] !== families[1]) return findings;
  return [
    ...findings,
    invalid(path, ranges, "may specify no more than one CIDR for each IP family"),
  ];
}

function validateAddresses({ status }: Node): Finding[] {
  const addresses = status.addresses ?? [];
  const repeated = repeats(addresses, ({ type, address }) => JSON.stringify([type, address]));
  return addresses.flatMap(({ type, address }, at) => {
    if (!repeated[at]) return [];
    const shown = JSON.stringify({ Type: type, Address: address });
    const field = `status.addresses[${at}]`;
    return [{ type: "Duplicate", field, message: `Duplicate value: ${shown}` } as const];
  });
}

/** The pod range and the provider's ID of a node can be set only once. */
function validateAssigned({ spec }: Node, { spec: old }: Node): Finding[] {
  const findings: Finding[] = [];
  const rule = (field: string) => `node updates may not change ${field} except from "" to valid`;
  const before = old.podCIDRs ?? [];
  const after = spec.podCIDRs ?? [];
  if (before.length > 0 && before.length !== after.length) {
    findings.push(forbidden("spec.podCIDRs", rule("podCIDR")));
  } else {
    const changed = before.filter((range, at) => range !== after[at]);
    findings.push(...changed.map(() => forbidden("spec.podCIDRs", rule("podCIDR"))));
  }
  if (old.providerID !== undefined && old.providerID !== spec.providerID) {
    findings.push(forbidden("spec.providerID", rule("providerID")));
  }
  return findings;
}
