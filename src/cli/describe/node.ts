/** Pure: a Node in detail. What its pods take of it is in node-resources.ts. */
import type { Lease } from "../../api/generated/coordination.ts";
import type { Event, Node, Pod } from "../../api/generated/core.ts";
import { eventLines } from "./events.ts";
import {
  annotationLines,
  field,
  type Lines,
  labelLines,
  list,
  localTime,
  optionalField,
  sortedEntries,
} from "./fields.ts";
import { nodeResourceLines } from "./node-resources.ts";

export interface NodeFacts {
  /** Why there is none, where it could not be read. */
  readonly lease: Lease | { readonly problem: string };
  /** Those on it that are not over. */
  readonly pods: readonly Pod[];
  readonly events: readonly Event[] | undefined;
}

export function nodeLines(node: Node, facts: NodeFacts, nowMs: number): Lines {
  const { metadata, spec, status } = node;
  return [
    field("Name", metadata.name ?? ""),
    field("Roles", rolesOf(node).join(",") || "<none>"),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    field("CreationTimestamp", localTime(metadata.creationTimestamp)),
    ...taintLines(node),
    field("Unschedulable", spec.unschedulable ?? false),
    ...leaseLines(facts.lease),
    ...conditionLines(node),
    "Addresses:",
    ...(status.addresses ?? []).map(({ type, address }) => field(type, address, 1)),
    ...amountLines("Capacity", status.capacity),
    ...amountLines("Allocatable", status.allocatable),
    ...systemLines(node),
    ...optionalField("PodCIDR", spec.podCIDR),
    ...optionalField("PodCIDRs", (spec.podCIDRs ?? []).join(",")),
    ...optionalField("ProviderID", spec.providerID),
    ...nodeResourceLines(node, facts.pods, nowMs),
    ...eventLines(facts.events, nowMs),
  ];
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function rolesOf({ metadata }: Node): readonly string[] {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === "kubernetes.io/role" ? [value] : [];
  });
  return [...new Set(roles)].filter((role) => role !== "").sort();
}

function taintLines({ spec }: Node): Lines {
  const orderOf = ({ effect = "", key = "" }) => `${effect},${key}`;
  const sorted = [...(spec.taints ?? [])].sort((one, other) =>
    orderOf(one) < orderOf(other) ? -1 : 1,
  );
  const texts = sorted.map(({ key, value, effect }) => {
    if (!effect) return value ? `${key}=${value}:` : key;
    return value ? `${key}=${value}:${effect}` : `${key}:${effect}`;
  });
  return list("Taints", texts);
}

function leaseLines(lease: NodeFacts["lease"]): Lines {
  if ("problem" in lease) return [field("Lease", `Failed to get lease: ${lease.problem}`)];
  const { holderIdentity, acquireTime, renewTime } = lease.spec ?? {};
  return [
    "Lease:",
    field("HolderIdentity", holderIdentity ?? "<unset>", 1),
    field("AcquireTime", acquireTime ? localTime(acquireTime) : "<unset>", 1),
    field("RenewTime", renewTime ? localTime(renewTime) : "<unset>", 1),
  ];
}

function conditionLines({ status }: Node): Lines {
  const { conditions = [] } = status;
  if (conditions.length === 0) return [];
  const lines = conditions.map((condition) => {
    const times = [condition.lastHeartbeatTime, condition.lastTransitionTime].map(localTime);
    const { reason = "", message = "" } = condition;
    return `  ${[condition.type, condition.status, ...times, reason].join(" \t")} \t${message}`;
  });
  return [
    "Conditions:",
    "  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage",
    "  ----\t------\t-----------------\t------------------\t------\t-------",
    ...lines,
  ];
}

function amountLines(title: string, amounts: Node["status"]["capacity"]): Lines {
  const entries = sortedEntries(amounts);
  if (entries.length === 0) return [];
  return [`${title}:`, ...entries.map(([name, amount]) => field(name, amount, 1))];
}

function systemLines({ status }: Node): Lines {
  const info = status.nodeInfo;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Machine ID", info?.machineID],
    ["System UUID", info?.systemUUID],
    ["Boot ID", info?.bootID],
    ["Kernel Version", info?.kernelVersion],
    ["OS Image", info?.osImage],
    ["Operating System", info?.operatingSystem],
    ["Architecture", info?.architecture],
    ["Container Runtime Version", info?.containerRuntimeVersion],
    ["Kubelet Version", info?.kubeletVersion],
  ];
  return ["System Info:", ...fields.map(([name, value]) => field(name, value ?? "", 1))];
}
