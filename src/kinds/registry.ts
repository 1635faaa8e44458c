/**
 * All kinds that the server supports. To add a kind, create its folder and list it here; nothing
 * else has to change.
 */
import { controllerRevisionKind } from "./apps/controller-revision.ts";
import { daemonSetKind } from "./apps/daemon-set.ts";
import { deploymentKind } from "./apps/deployment.ts";
import { replicaSetKind } from "./apps/replica-set.ts";
import { statefulSetKind } from "./apps/stateful-set.ts";
import { configMapKind } from "./configmap/kind.ts";
import { cronJobKind } from "./cronjob/kind.ts";
import { customResourceDefinitionKind } from "./customresourcedefinition/kind.ts";
import { endpointsKind } from "./endpoints/kind.ts";
import { endpointSliceKind } from "./endpointslice/kind.ts";
import { eventKind, eventViewKind } from "./event/kind.ts";
import { jobKind } from "./job/kind.ts";
import type { Kind } from "./kind.ts";
import { leaseKind } from "./lease/kind.ts";
import { namespaceKind } from "./namespace/kind.ts";
import { nodeKind } from "./node/kind.ts";
import { persistentVolumeClaimKind } from "./persistentvolume/claim.ts";
import { storageClassKind } from "./persistentvolume/storage-class.ts";
import { persistentVolumeKind } from "./persistentvolume/volume.ts";
import { podKind } from "./pod/kind.ts";
import { podDisruptionBudgetKind } from "./poddisruptionbudget/kind.ts";
import { priorityClassKind } from "./priorityclass/kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac/bindings.ts";
import { clusterRoleKind, roleKind } from "./rbac/roles.ts";
import { reviewKinds } from "./review/kinds.ts";
import { runtimeClassKind } from "./runtimeclass/kind.ts";
import { secretKind } from "./secret/kind.ts";
import { serviceKind } from "./service/kind.ts";
import { serviceAccountKind } from "./serviceaccount/kind.ts";
import { bindingKind } from "./structural/binding.ts";
import { componentStatusKind } from "./structural/component-status.ts";
import { limitRangeKind } from "./structural/limit-range.ts";
import { podTemplateKind } from "./structural/pod-template.ts";
import { replicationControllerKind } from "./structural/replication-controller.ts";
import { resourceQuotaKind } from "./structural/resource-quota.ts";
import { jobTemplateKind } from "./tallyjob/job-template.ts";
import { scheduledJobKind } from "./tallyjob/scheduled-job.ts";
import { workflowKind } from "./tallyjob/workflow.ts";

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Registry {
  readonly kinds: readonly Kind[];
  hasGroup(group: string): boolean;
  findResource(name: ResourceName): Kind | undefined;
  /** For resources that are known to exist. */
  getResource(group: string, version: string, resource: string): Kind;
  findKind(name: KindName): Kind | undefined;
  /** Whether objects or lists of this kind are known. */
  isRegistered(name: KindName): boolean;
}

export const registry: Registry = registryOf([
  bindingKind,
  clusterRoleBindingKind,
  clusterRoleKind,
  componentStatusKind,
  configMapKind,
  controllerRevisionKind,
  cronJobKind,
  customResourceDefinitionKind,
  daemonSetKind,
  deploymentKind,
  endpointsKind,
  endpointSliceKind,
  eventKind,
  eventViewKind,
  jobKind,
  jobTemplateKind,
  leaseKind,
  limitRangeKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  podDisruptionBudgetKind,
  podKind,
  podTemplateKind,
  priorityClassKind,
  replicaSetKind,
  replicationControllerKind,
  resourceQuotaKind,
  ...reviewKinds,
  roleBindingKind,
  roleKind,
  runtimeClassKind,
  scheduledJobKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  statefulSetKind,
  storageClassKind,
  workflowKind,
]);

export function registryOf(kinds: readonly Kind[]): Registry {
  const groups = new Set(kinds.map((kind) => kind.group));
  const byResource = new Map(kinds.map((kind) => [resourceKey(kind), kind]));
  const byKind = new Map(kinds.map((kind) => [kindKey(kind), kind]));
  return {
    kinds,
    hasGroup: (group) => groups.has(group),
    findResource: (name) => byResource.get(resourceKey(name)),
    getResource: (group, version, resource) => {
      const found = byResource.get(resourceKey({ group, version, resource }));
      if (found === undefined) throw new Error(`no resource ${resource} in ${group}/${version}`);
      return found;
    },
    findKind: (name) => byKind.get(kindKey(name)),
    isRegistered: ({ group, version, kind }) =>
      byKind.has(kindKey({ group, version, kind })) ||
      byKind.has(kindKey({ group, version, kind: kind.replace(/List$/, "") })) ||
      (COMMON_KINDS.has(kind) &&
        kinds.some((at) => at.group === group && at.version === version)) ||
      (CORE_KINDS.has(kind) && group === "" && version === "v1"),
  };
}

/** Kinds that every group version has in addition to its own, for requests and answers. */
const COMMON_KINDS: ReadonlySet<string> = new Set([
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "UpdateOptions",
  "WatchEvent",
]);

const CORE_KINDS: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "List",
  "Status",
]);

function resourceKey({ group, version, resource }: ResourceName): string {
  return `${group}/${version}/${resource}`;
}

function kindKey({ group, version, kind }: KindName): string {
  return `${group}/${version}/${kind}`;
}
