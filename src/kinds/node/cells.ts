/** Pure: a Node as a table row. */
import type { Node } from "../../api/generated/core.ts";
import { age } from "../../api/print/age.ts";
import type { Cell } from "../kind.ts";

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE_LABEL = "kubernetes.io/role";

export function cells(node: Node, now: Date): Cell[] {
  const { metadata, status } = node;
  const { kubeletVersion, osImage, containerRuntimeVersion } = status.nodeInfo;
  return [
    metadata.name ?? "",
    formatStatus(node),
    formatRoles(node),
    age(metadata.creationTimestamp, now),
    kubeletVersion,
    findAddress(node, "InternalIP"),
    findAddress(node, "ExternalIP"),
    osImage || "<unknown>",
    formatKernel(node),
    containerRuntimeVersion || "<unknown>",
  ];
}

function formatStatus({ spec, status }: Node): string {
  const ready = status.conditions?.findLast(({ type }) => type === "Ready");
  const readiness =
    ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable ? `${readiness},SchedulingDisabled` : readiness;
}

function formatRoles({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : "",
  );
  const distinct = [...new Set(roles.filter((role) => role !== ""))].sort();
  return distinct.length > 0 ? distinct.join(",") : "<none>";
}

function findAddress({ status }: Node, type: string): string {
  return status.addresses?.find((address) => address.type === type)?.address ?? "<none>";
}

function formatKernel({ status }: Node): string {
  const { kernelVersion, architecture } = status.nodeInfo;
  if (kernelVersion === "") return "<unknown>";
  return architecture === "" ? kernelVersion : `${kernelVersion} (${architecture})`;
}
