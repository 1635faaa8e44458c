/** Pure: the columns of a Pod, with Kubernetes' own descriptions, which clients compare. */
import type { Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";

export const podColumns: readonly Column[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "The aggregate readiness state of this pod for accepting traffic.",
  },
  {
    name: "Status",
    type: "string",
    description: "The aggregate status of the containers in this pod.",
  },
  {
    name: "Restarts",
    type: "string",
    description:
      "The number of times the containers in this pod have been restarted and when the " +
      "last container in this pod has restarted.",
  },
  ageColumn,
  {
    name: "IP",
    type: "string",
    priority: 1,
    description:
      "podIP address allocated to the pod. Routable at least within the cluster. Empty if " +
      "not yet allocated.",
  },
  {
    name: "Node",
    type: "string",
    priority: 1,
    description:
      "NodeName indicates in which node this pod is scheduled. If empty, this pod is a " +
      "candidate for scheduling by the scheduler defined in schedulerName. Once this field " +
      "is set, the kubelet for this node becomes responsible for the lifecycle of this " +
      "pod. This field should not be used to express a desire for the pod to be scheduled " +
      "on a specific node. " +
      "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
  },
  {
    name: "Nominated Node",
    type: "string",
    priority: 1,
    description:
      "nominatedNodeName is set only when this pod preempts other pods on the node, but it " +
      "cannot be scheduled right away as preemption victims receive their graceful " +
      "termination periods. This field does not guarantee that the pod will be scheduled " +
      "on this node. Scheduler may decide to place the pod elsewhere if other nodes become " +
      "available sooner. Scheduler may also decide to give the resources on this node to a " +
      "higher priority pod that is created after preemption. As a result, this field may " +
      "be different than PodSpec.nodeName when the pod is scheduled.",
  },
  {
    name: "Readiness Gates",
    type: "string",
    priority: 1,
    description:
      "If specified, all readiness gates will be evaluated for pod readiness. A pod is " +
      "ready when all its containers are ready AND all conditions specified in the " +
      'readiness gates have status equal to "True" More info: ' +
      "https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
  },
];
