/** Pure: the columns of a Node, with Kubernetes' own descriptions, which clients compare. */
import type { Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";

export const columns: readonly Column[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "The status of the node",
  },
  {
    name: "Roles",
    type: "string",
    description: "The roles of the node",
  },
  ageColumn,
  {
    name: "Version",
    type: "string",
    description: "Kubelet Version reported by the node.",
  },
  {
    name: "Internal-IP",
    type: "string",
    priority: 1,
    description:
      "List of addresses reachable to the node. Queried from cloud provider, if available. " +
      "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This " +
      "field is declared as mergeable, but the merge key is not sufficiently unique, which " +
      "can cause data corruption when it is merged. Callers should instead use a " +
      "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should " +
      "assume that addresses can change during the lifetime of a Node. However, there are " +
      "some exceptions where this may not be possible, such as Pods that inherit a Node's " +
      "address in its own status or consumers of the downward API (status.hostIP).",
  },
  {
    name: "External-IP",
    type: "string",
    priority: 1,
    description:
      "List of addresses reachable to the node. Queried from cloud provider, if available. " +
      "More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This " +
      "field is declared as mergeable, but the merge key is not sufficiently unique, which " +
      "can cause data corruption when it is merged. Callers should instead use a " +
      "full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should " +
      "assume that addresses can change during the lifetime of a Node. However, there are " +
      "some exceptions where this may not be possible, such as Pods that inherit a Node's " +
      "address in its own status or consumers of the downward API (status.hostIP).",
  },
  {
    name: "OS-Image",
    type: "string",
    priority: 1,
    description:
      "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
  },
  {
    name: "Kernel-Version",
    type: "string",
    priority: 1,
    description: "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
  },
  {
    name: "Container-Runtime",
    type: "string",
    priority: 1,
    description:
      "ContainerRuntime Version reported by the node through runtime remote API (e.g. " +
      "containerd://1.4.2).",
  },
];
