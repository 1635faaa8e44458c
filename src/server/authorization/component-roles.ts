/** Pure: the default roles of Kubernetes components, in case one runs against this server. */
import { type DefaultRole, READ, rule } from "./short-role.ts";

const EVENTS = rule("create patch update", ",events.k8s.io", "events");
const CONTROLLER_EVENTS = rule("create patch update", "", "events");

export const COMPONENT_ROLES: readonly DefaultRole[] = [
  {
    name: "system:auth-delegator",
    rules: [
      rule("create", "authentication.k8s.io", "tokenreviews"),
      rule("create", "authorization.k8s.io", "subjectaccessreviews"),
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      rule("get list watch", "", "nodes"),
      rule("proxy", "", "nodes"),
      rule("*", "", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
    ],
  },
  {
    name: "system:node",
    rules: [
      rule("create", "authentication.k8s.io", "tokenreviews"),
      rule("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
      rule(READ, "", "services"),
      rule("create get list watch", "", "nodes"),
      rule("patch update", "", "nodes/status"),
      rule("patch update", "", "nodes"),
      EVENTS,
      rule(READ, "", "pods"),
      rule("create delete", "", "pods"),
      rule("patch update", "", "pods/status"),
      rule("create", "", "pods/eviction"),
      rule(READ, "", "configmaps secrets"),
      rule("get", "", "persistentvolumeclaims persistentvolumes"),
      rule("get", "", "endpoints"),
      rule("create delete get patch update", "coordination.k8s.io", "leases"),
      rule("create", "", "serviceaccounts/token"),
      rule(READ, "node.k8s.io", "runtimeclasses"),
      rule("get list watch", "storage.k8s.io", "csidrivers"),
    ],
  },
  {
    name: "system:node-proxier",
    rules: [
      rule("list watch", "", "endpoints services"),
      rule(READ, "", "nodes"),
      EVENTS,
      rule("list watch", "discovery.k8s.io", "endpointslices"),
    ],
  },
  {
    name: "system:node-problem-detector",
    rules: [rule("get", "", "nodes"), rule("patch", "", "nodes/status"), EVENTS],
  },
  {
    name: "system:kube-dns",
    rules: [rule("list watch", "", "endpoints services")],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      rule("create delete get list watch", "", "persistentvolumes"),
      rule("get list update watch", "", "persistentvolumeclaims"),
      rule(READ, "storage.k8s.io", "storageclasses"),
      rule("watch", "", "events"),
      CONTROLLER_EVENTS,
    ],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      rule("get list patch update watch", "", "persistentvolumes"),
      rule(READ, "storage.k8s.io", "storageclasses"),
      rule("get list patch update watch", "", "persistentvolumeclaims"),
    ],
  },
  {
    name: "system:kube-scheduler",
    rules: [
      EVENTS,
      rule("create", "coordination.k8s.io", "leases"),
      rule("get list watch update", "coordination.k8s.io", "leases", "kube-scheduler"),
      rule("get list watch", "", "nodes"),
      rule("delete get list watch", "", "pods"),
      rule("create", "", "bindings pods/binding"),
      rule("patch update", "", "pods/status"),
      rule(READ, "", "replicationcontrollers services"),
      rule(READ, "apps", "replicasets statefulsets"),
      rule(READ, "policy", "poddisruptionbudgets"),
      rule(READ, "", "namespaces persistentvolumeclaims persistentvolumes"),
      rule("create", "authentication.k8s.io", "tokenreviews"),
      rule("create", "authorization.k8s.io", "subjectaccessreviews"),
      rule(READ, "storage.k8s.io", "csidrivers csinodes csistoragecapacities storageclasses"),
    ],
  },
  {
    name: "system:kube-controller-manager",
    rules: [
      EVENTS,
      rule("create", "coordination.k8s.io", "leases"),
      rule("get list watch update", "coordination.k8s.io", "leases", "kube-controller-manager"),
      rule("create", "", "secrets serviceaccounts"),
      rule("delete", "", "secrets"),
      rule("get", "", "configmaps namespaces secrets serviceaccounts"),
      rule("update", "", "secrets serviceaccounts"),
      rule("create", "authentication.k8s.io", "tokenreviews"),
      rule("create", "authorization.k8s.io", "subjectaccessreviews"),
      rule("list watch", "*", "*"),
      rule("create", "", "serviceaccounts/token"),
    ],
  },
  {
    name: "extension-apiserver-authentication-reader",
    namespace: "kube-system",
    rules: [rule(READ, "", "configmaps", "extension-apiserver-authentication")],
  },
  leaderLocking("kube-controller-manager"),
  leaderLocking("kube-scheduler"),
];

function leaderLocking(name: string): DefaultRole {
  return {
    name: `system::leader-locking-${name}`,
    namespace: "kube-system",
    rules: [rule("watch", "", "configmaps"), rule("get update", "", "configmaps", name)],
  };
}

export const CONTROLLER_ROLES: readonly DefaultRole[] = [
  {
    name: "system:controller:clusterrole-aggregation-controller",
    rules: [
      rule("escalate get list patch update watch", "rbac.authorization.k8s.io", "clusterroles"),
    ],
  },
  {
    name: "system:controller:cronjob-controller",
    rules: [
      rule("get list update watch", "batch", "cronjobs"),
      rule("create delete get list patch update watch", "batch", "jobs"),
      rule("update", "batch", "cronjobs/status"),
      rule("update", "batch", "cronjobs/finalizers"),
      rule("delete list", "", "pods"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:disruption-controller",
    rules: [
      rule(READ, "apps", "deployments replicasets statefulsets"),
      rule(READ, "", "replicationcontrollers"),
      rule(READ, "policy", "poddisruptionbudgets"),
      rule("update", "policy", "poddisruptionbudgets/status"),
      rule("patch update", "", "pods/status"),
      rule(READ, "", "pods"),
      rule("get", "*", "*/scale"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:endpoint-controller",
    rules: [
      rule(READ, "", "pods services"),
      rule("create delete get list update", "", "endpoints"),
      rule("create", "", "endpoints/restricted"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:endpointslice-controller",
    rules: [
      rule(READ, "", "nodes pods services"),
      rule("update", "", "services/finalizers"),
      rule("create delete get list update", "discovery.k8s.io", "endpointslices"),
      rule("create", "discovery.k8s.io", "endpointslices/restricted"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:generic-garbage-collector",
    rules: [rule("delete get list patch update watch", "*", "*"), EVENTS],
  },
  {
    name: "system:controller:job-controller",
    rules: [
      rule("get list patch update watch", "batch", "jobs"),
      rule("patch update", "batch", "jobs/status"),
      rule("update", "batch", "jobs/finalizers"),
      rule("create delete list patch watch", "", "pods"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:namespace-controller",
    rules: [
      rule("delete get list watch", "", "namespaces"),
      rule("update", "", "namespaces/finalize namespaces/status"),
      rule("delete deletecollection get list", "*", "*"),
    ],
  },
  {
    name: "system:controller:node-controller",
    rules: [
      rule("delete get list patch update", "", "nodes"),
      rule("patch update", "", "nodes/status"),
      rule("patch update", "", "pods/status"),
      rule("delete list", "", "pods"),
      rule("get", "", "pods"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:persistent-volume-binder",
    rules: [
      rule("create delete get list update watch", "", "persistentvolumes"),
      rule("update", "", "persistentvolumes/status"),
      rule("get list update watch", "", "persistentvolumeclaims"),
      rule("update", "", "persistentvolumeclaims/status"),
      rule("create delete get list watch", "", "pods"),
      rule(READ, "storage.k8s.io", "storageclasses"),
      rule("get list", "", "nodes"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:pod-garbage-collector",
    rules: [
      rule("delete list watch", "", "pods"),
      rule("get list", "", "nodes"),
      rule("patch", "", "pods/status"),
    ],
  },
  {
    name: "system:controller:pv-protection-controller",
    rules: [rule("get list update watch", "", "persistentvolumes"), EVENTS],
  },
  {
    name: "system:controller:pvc-protection-controller",
    rules: [
      rule("get list update watch", "", "persistentvolumeclaims"),
      rule(READ, "", "pods"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:resourcequota-controller",
    rules: [rule("list watch", "*", "*"), rule("update", "", "resourcequotas/status"), EVENTS],
  },
  {
    name: "system:controller:root-ca-cert-publisher",
    rules: [rule("create update", "", "configmaps"), EVENTS],
  },
  {
    name: "system:controller:service-account-controller",
    rules: [rule("create", "", "serviceaccounts"), EVENTS],
  },
  {
    name: "system:controller:statefulset-controller",
    rules: [
      rule("list watch", "", "pods"),
      rule("get list watch", "apps", "statefulsets"),
      rule("update", "apps", "statefulsets/finalizers statefulsets/status"),
      rule("create delete get patch update", "", "pods"),
      rule("create delete get list patch update watch", "apps", "controllerrevisions"),
      rule("create get", "", "persistentvolumeclaims"),
      rule("delete update", "", "persistentvolumeclaims"),
      EVENTS,
    ],
  },
  {
    name: "system:controller:ttl-after-finished-controller",
    rules: [rule("delete get list watch", "batch", "jobs"), EVENTS],
  },
];
