/** The resource types that Tally's own components use. */
import type { ResourceType } from "./client.ts";
import type { CustomResourceDefinition } from "./generated/apiextensions.ts";
import type { ControllerRevision, StatefulSet } from "./generated/apps.ts";
import type { CronJob, Job } from "./generated/batch.ts";
import type { Lease } from "./generated/coordination.ts";
import type {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "./generated/core.ts";
import type { EndpointSlice } from "./generated/discovery.ts";
import type { PodDisruptionBudget } from "./generated/policy.ts";
import type { ClusterRole } from "./generated/rbac.ts";
import type { StorageClass } from "./generated/storage.ts";
import type { JobTemplate, ScheduledJob, Workflow } from "./generated/tallyjob.ts";

export const namespaces: ResourceType<Namespace> = {
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

export const serviceAccounts: ResourceType<ServiceAccount> = {
  group: "",
  version: "v1",
  resource: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
};

export const configMaps: ResourceType<ConfigMap> = {
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};

export const events: ResourceType<Event> = {
  group: "",
  version: "v1",
  resource: "events",
  kind: "Event",
  namespaced: true,
};

export const pods: ResourceType<Pod> = {
  group: "",
  version: "v1",
  resource: "pods",
  kind: "Pod",
  namespaced: true,
};

export const jobs: ResourceType<Job> = {
  group: "batch",
  version: "v1",
  resource: "jobs",
  kind: "Job",
  namespaced: true,
};

export const nodes: ResourceType<Node> = {
  group: "",
  version: "v1",
  resource: "nodes",
  kind: "Node",
  namespaced: false,
};

export const leases: ResourceType<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  resource: "leases",
  kind: "Lease",
  namespaced: true,
};

export const secrets: ResourceType<Secret> = {
  group: "",
  version: "v1",
  resource: "secrets",
  kind: "Secret",
  namespaced: true,
};

export const services: ResourceType<Service> = {
  group: "",
  version: "v1",
  resource: "services",
  kind: "Service",
  namespaced: true,
};

export const endpoints: ResourceType<Endpoints> = {
  group: "",
  version: "v1",
  resource: "endpoints",
  kind: "Endpoints",
  namespaced: true,
};

export const endpointSlices: ResourceType<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
};

export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

export const cronJobs: ResourceType<CronJob> = {
  group: "batch",
  version: "v1",
  resource: "cronjobs",
  kind: "CronJob",
  namespaced: true,
};

export const statefulSets: ResourceType<StatefulSet> = {
  group: "apps",
  version: "v1",
  resource: "statefulsets",
  kind: "StatefulSet",
  namespaced: true,
};

export const clusterRoles: ResourceType<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
};

export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: "apps",
  version: "v1",
  resource: "controllerrevisions",
  kind: "ControllerRevision",
  namespaced: true,
};

export const persistentVolumeClaims: ResourceType<PersistentVolumeClaim> = {
  group: "",
  version: "v1",
  resource: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};

export const persistentVolumes: ResourceType<PersistentVolume> = {
  group: "",
  version: "v1",
  resource: "persistentvolumes",
  kind: "PersistentVolume",
  namespaced: false,
};

export const storageClasses: ResourceType<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "storageclasses",
  kind: "StorageClass",
  namespaced: false,
};

export const podDisruptionBudgets: ResourceType<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
};

export const jobTemplates: ResourceType<JobTemplate> = {
  group: "tallyjob.io",
  version: "v1alpha1",
  resource: "jobtemplates",
  kind: "JobTemplate",
  namespaced: true,
};

export const scheduledJobs: ResourceType<ScheduledJob> = {
  group: "tallyjob.io",
  version: "v1alpha1",
  resource: "scheduledjobs",
  kind: "ScheduledJob",
  namespaced: true,
};

export const workflows: ResourceType<Workflow> = {
  group: "tallyjob.io",
  version: "v1alpha1",
  resource: "workflows",
  kind: "Workflow",
  namespaced: true,
};
