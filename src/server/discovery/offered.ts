/** Pure: the discoverable resources, in the order in which clients see them. */

import { compareVersions } from "../../kinds/customresource/version-order.ts";
import type { Kind } from "../../kinds/kind.ts";
import { LEDGER_GROUP, LEDGER_VERSION } from "../ledger/job-index.ts";

/** The parts of a kind that discovery needs. */
export type OfferedKind = Pick<
  Kind,
  | "group"
  | "version"
  | "kind"
  | "resource"
  | "singular"
  | "namespaced"
  | "shortNames"
  | "categories"
  | "verbs"
  | "subresources"
  | "storedAs"
  | "custom"
>;

/**
 * The ledger subresources of Jobs. The parent resource has no verbs, so that "jobs" continues to
 * mean those of batch.
 */
export const JOB_INDEXES: OfferedKind = {
  group: LEDGER_GROUP,
  version: LEDGER_VERSION,
  kind: "JobIndex",
  resource: "jobs",
  singular: "",
  namespaced: true,
  verbs: [],
  subresources: [
    { name: "indexes", verbs: ["get"] },
    { name: "submission", verbs: ["create"] },
  ],
};

export interface OfferedVersion {
  readonly version: string;
  /** Sorted by resource name. */
  readonly kinds: readonly OfferedKind[];
}

export interface OfferedGroup {
  /** "" for the core group. */
  readonly name: string;
  /** The preferred version is first. */
  readonly versions: readonly OfferedVersion[];
}

/** The order in which kubectl resolves a resource that exists in several groups. */
const GROUP_ORDER: readonly string[] = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
];

export function offeredGroups(kinds: readonly OfferedKind[]): OfferedGroup[] {
  const names = [...new Set(kinds.map(({ group }) => group))];
  return names.sort(byGroupOrder).map((name) => ({
    name,
    versions: offeredVersions(kinds.filter(({ group }) => group === name)),
  }));
}

function byGroupOrder(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || compareText(one, other);
}

function placeOf(group: string): number {
  const place = GROUP_ORDER.indexOf(group);
  return place < 0 ? GROUP_ORDER.length : place;
}

/** Newest first: "v2" before "v1" before "v1beta1". */
function offeredVersions(kinds: readonly OfferedKind[]): OfferedVersion[] {
  const versions = [...new Set(kinds.map(({ version }) => version))];
  return versions.sort(compareVersions).map((version) => ({
    version,
    kinds: kinds
      .filter((kind) => kind.version === version)
      .sort((one, other) => compareText(one.resource, other.resource)),
  }));
}

/** Compares by code unit, as Go compares strings. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
