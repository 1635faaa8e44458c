/** Pure: what the fields of Pods mean. */
export const podDescriptions: { readonly [typeOrField: string]: string } = {
  "core/v1.Pod":
    "Containers that run together on one node, with one network address and shared volumes.",
  "core/v1.Pod.spec": "The containers, what they need, and where and how they run.",
  "core/v1.Pod.status": "Where the Pod runs and how it is doing. Written by the node.",
  "core/v1.PodTemplateSpec": "A Pod to be, with the labels and annotations it gets.",
  "core/v1.PodTemplateSpec.metadata": "Labels and annotations of the Pods made from the template.",
  "core/v1.PodTemplateSpec.spec": "The spec of the Pods made from the template.",

  "core/v1.PodSpec": "What a Pod runs, what it needs, and where it may run.",
  "core/v1.PodSpec.activeDeadlineSeconds":
    "How long the Pod may run on its node, counted from status.startTime. It then fails " +
    "with reason DeadlineExceeded.",
  "core/v1.PodSpec.affinity": "Wishes and demands about the node and about other Pods on it.",
  "core/v1.PodSpec.automountServiceAccountToken":
    "Whether containers get the token of the service account as a file.",
  "core/v1.PodSpec.containers": "The containers. At least one; names are unique within the Pod.",
  "core/v1.PodSpec.dnsConfig": "Name servers and search domains, added to those of dnsPolicy.",
  "core/v1.PodSpec.dnsPolicy":
    "Who answers DNS questions: ClusterFirst (the default), ClusterFirstWithHostNet, " +
    "Default for the node's resolver, or None for dnsConfig alone.",
  "core/v1.PodSpec.enableServiceLinks":
    "Whether the services of the namespace appear as environment variables; true if left out.",
  "core/v1.PodSpec.ephemeralContainers":
    "Containers added later to look into a running Pod. They can be set only through " +
    "their own subresource.",
  "core/v1.PodSpec.hostAliases": "Lines to be added to the containers' hosts file.",
  "core/v1.PodSpec.hostIPC": "Whether the Pod shares the IPC namespace of the node.",
  "core/v1.PodSpec.hostNetwork": "Whether the Pod uses the network of the node instead of its own.",
  "core/v1.PodSpec.hostPID": "Whether the Pod sees the processes of the node.",
  "core/v1.PodSpec.hostUsers":
    "Set to false to give the Pod a user namespace of its own, in which root is an ordinary user " +
    "of the node.",
  "core/v1.PodSpec.hostname": "The Pod's host name; its own name if left out.",
  "core/v1.PodSpec.hostnameOverride":
    "A host name taken as it is, ignoring hostname and subdomain.",
  "core/v1.PodSpec.imagePullSecrets":
    "Secrets with which images are pulled from private registries.",
  "core/v1.PodSpec.initContainers":
    "Containers that run one after another, each to its end, before the others start. " +
    "With restartPolicy Always one keeps running beside them instead.",
  "core/v1.PodSpec.nodeName":
    "The node the Pod runs on. Set by the scheduler, or by you to skip it.",
  "core/v1.PodSpec.nodeSelector": "Labels the node must have.",
  "core/v1.PodSpec.os": "The operating system the containers are made for.",
  "core/v1.PodSpec.overhead":
    "What the Pod costs beyond its containers. Comes from the runtime class.",
  "core/v1.PodSpec.preemptionPolicy":
    "Whether Pods of lower priority may be removed to make room: PreemptLowerPriority or Never.",
  "core/v1.PodSpec.priority": "The number behind priorityClassName. Higher goes first.",
  "core/v1.PodSpec.priorityClassName": "The PriorityClass that gives the Pod its priority.",
  "core/v1.PodSpec.readinessGates":
    "Further conditions that must be true before the Pod counts as ready.",
  "core/v1.PodSpec.resourceClaims":
    "Devices the Pod claims before it can start, for its containers to use.",
  "core/v1.PodSpec.resources": "CPU and memory for the Pod as a whole, shared by its containers.",
  "core/v1.PodSpec.restartPolicy":
    "When an ended container is started again: Always (the default), OnFailure or Never. " +
    "In a Job only the last two are possible.",
  "core/v1.PodSpec.runtimeClassName": "The RuntimeClass that says which container runtime is used.",
  "core/v1.PodSpec.schedulerName": "Who finds a node for the Pod; default-scheduler if left out.",
  "core/v1.PodSpec.schedulingGates":
    "While any is left no node is looked for. They can only be removed.",
  "core/v1.PodSpec.schedulingGroup": "The group of Pods this one is scheduled together with.",
  "core/v1.PodSpec.securityContext": "User, groups and confinement of all containers of the Pod.",
  "core/v1.PodSpec.serviceAccount": "Old name of serviceAccountName.",
  "core/v1.PodSpec.serviceAccountName": "The service account the Pod acts as; default if left out.",
  "core/v1.PodSpec.setHostnameAsFQDN": "Whether the host name includes the domain.",
  "core/v1.PodSpec.shareProcessNamespace": "Whether the containers see each other's processes.",
  "core/v1.PodSpec.subdomain":
    "The name of a headless service under which the Pod has a DNS name of its own.",
  "core/v1.PodSpec.terminationGracePeriodSeconds":
    "Time between asking the containers to stop and killing them; 30 if left out.",
  "core/v1.PodSpec.tolerations": "Taints of nodes that the Pod puts up with.",
  "core/v1.PodSpec.topologySpreadConstraints":
    "How evenly Pods like this one are spread over zones or nodes.",
  "core/v1.PodSpec.volumes": "The volumes that containers of the Pod can mount.",

  "core/v1.PodStatus": "What is known about a Pod on its node.",
  "core/v1.PodStatus.allocatedResources": "What the node has set aside for the Pod as a whole.",
  "core/v1.PodStatus.conditions":
    "What is true of the Pod, such as PodScheduled, Initialized, ContainersReady, Ready " +
    "or DisruptionTarget.",
  "core/v1.PodStatus.containerStatuses": "How each container is doing.",
  "core/v1.PodStatus.ephemeralContainerStatuses": "How each ephemeral container is doing.",
  "core/v1.PodStatus.extendedResourceClaimStatus":
    "The claim made for extended resources of the Pod.",
  "core/v1.PodStatus.hostIP": "The address of the node.",
  "core/v1.PodStatus.hostIPs": "The addresses of the node, one per address family.",
  "core/v1.PodStatus.initContainerStatuses": "How each init container is doing.",
  "core/v1.PodStatus.message": "Why the Pod is in its state, in a sentence for people.",
  "core/v1.PodStatus.nodeAllocatableResourceClaimStatuses":
    "What its claims take of the node's CPU, memory and the like.",
  "core/v1.PodStatus.nominatedNodeName": "The node on which room is being made for the Pod.",
  "core/v1.PodStatus.observedGeneration": "The generation of the Pod this status speaks about.",
  "core/v1.PodStatus.phase":
    "Pending: not all containers have started. Running: at least one has. Succeeded: all " +
    "ended well. Failed: all ended, and not all well. Unknown: the node cannot be " +
    "reached.",
  "core/v1.PodStatus.podIP": "The address of the Pod.",
  "core/v1.PodStatus.podIPs": "The addresses of the Pod, one per address family.",
  "core/v1.PodStatus.qosClass":
    "Guaranteed, Burstable or BestEffort, by requests and limits: the last suffers first " +
    "when memory runs out.",
  "core/v1.PodStatus.reason": "Why the Pod is in its state, in one word for programs.",
  "core/v1.PodStatus.resize": "How far a change of resources has come. Conditions say it better.",
  "core/v1.PodStatus.resourceClaimStatuses": "The claims that were made for the Pod.",
  "core/v1.PodStatus.resources": "CPU and memory in force for the Pod as a whole.",
  "core/v1.PodStatus.startTime": "When the node took the Pod on, before images were pulled.",

  "core/v1.PodCondition": "One statement about a Pod, and since when it holds.",
  "core/v1.PodCondition.lastProbeTime": "When the statement was last checked.",
  "core/v1.PodCondition.lastTransitionTime": "When the status last became another.",
  "core/v1.PodCondition.message": "The reason in a sentence for people.",
  "core/v1.PodCondition.observedGeneration": "The generation of the Pod that was looked at.",
  "core/v1.PodCondition.reason": "The reason in one word for programs.",
  "core/v1.PodCondition.status": "True, False or Unknown.",
  "core/v1.PodCondition.type": "What the statement is about.",

  "core/v1.PodSecurityContext":
    "User, groups and confinement for all containers that do not say otherwise.",
  "core/v1.PodSecurityContext.fsGroup":
    "A group that owns the volumes and that all containers are in.",
  "core/v1.PodSecurityContext.runAsGroup": "The primary group of the processes.",
  "core/v1.PodSecurityContext.runAsNonRoot":
    "Whether to refuse to start a container that would run as root.",
  "core/v1.PodSecurityContext.runAsUser": "The user of the processes; the image's if left out.",
  "core/v1.PodSecurityContext.supplementalGroups": "Further groups of the processes.",

  "core/v1.Toleration": "A taint that is put up with: one that matches in key, value and effect.",
  "core/v1.Toleration.effect":
    "NoSchedule, PreferNoSchedule or NoExecute; all of them if left out.",
  "core/v1.Toleration.key": "The key of the taint; with operator Exists, empty matches all keys.",
  "core/v1.Toleration.operator":
    "How value is compared: Equal (the default), Exists for any value, or as numbers with " +
    "Lt and Gt.",
  "core/v1.Toleration.tolerationSeconds":
    "With NoExecute: how long the Pod may stay. For ever if left out.",
  "core/v1.Toleration.value": "The value of the taint.",
};
