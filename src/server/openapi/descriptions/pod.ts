/** Pure: descriptions of the fields of Pods. */
export const podDescriptions: { readonly [typeOrField: string]: string } = {
  "core/v1.Pod":
    "Containers that run together on one node, with one network address and shared volumes.",
  "core/v1.Pod.spec": "The containers, what they need, and where and how they run.",
  "core/v1.Pod.status": "Where the Pod runs and its current state. Written by the node.",
  "core/v1.PodTemplateSpec": "The template of Pods, with their labels and annotations.",
  "core/v1.PodTemplateSpec.metadata": "Labels and annotations of the Pods made from the template.",
  "core/v1.PodTemplateSpec.spec": "The spec of the Pods made from the template.",

  "core/v1.PodSpec": "What a Pod runs, what it needs, and where it may run.",
  "core/v1.PodSpec.activeDeadlineSeconds":
    "How long the Pod may run on its node, counted from status.startTime. It then fails " +
    "with reason DeadlineExceeded.",
  "core/v1.PodSpec.affinity": "Preferences and requirements about the node and other Pods on it.",
  "core/v1.PodSpec.automountServiceAccountToken":
    "Whether containers get the token of the service account as a file.",
  "core/v1.PodSpec.containers": "The containers. At least one; names are unique within the Pod.",
  "core/v1.PodSpec.dnsConfig": "Name servers and search domains, added to those of dnsPolicy.",
  "core/v1.PodSpec.dnsPolicy":
    "Which resolver answers DNS queries: ClusterFirst (the default), " +
    "ClusterFirstWithHostNet, Default for the node's resolver, or None for dnsConfig alone.",
  "core/v1.PodSpec.enableServiceLinks":
    "Whether the services of the namespace appear as environment variables; true if left out.",
  "core/v1.PodSpec.ephemeralContainers":
    "Containers added later to debug a running Pod. They can be set only through their own " +
    "subresource.",
  "core/v1.PodSpec.hostAliases": "Lines to be added to the containers' hosts file.",
  "core/v1.PodSpec.hostIPC": "Whether the Pod shares the IPC namespace of the node.",
  "core/v1.PodSpec.hostNetwork": "Whether the Pod uses the network of the node instead of its own.",
  "core/v1.PodSpec.hostPID": "Whether the Pod sees the processes of the node.",
  "core/v1.PodSpec.hostUsers":
    "Set to false to give the Pod a user namespace of its own, in which root is an ordinary user " +
    "of the node.",
  "core/v1.PodSpec.hostname": "The Pod's host name; its own name if left out.",
  "core/v1.PodSpec.hostnameOverride":
    "A host name that is used unchanged, ignoring hostname and subdomain.",
  "core/v1.PodSpec.imagePullSecrets":
    "Secrets with which images are pulled from private registries.",
  "core/v1.PodSpec.initContainers":
    "Containers that run to completion one after another before the others start. One with " +
    "restartPolicy Always keeps running beside them instead.",
  "core/v1.PodSpec.nodeName":
    "The node the Pod runs on. Set by the scheduler, or by you to skip it.",
  "core/v1.PodSpec.nodeSelector": "Labels the node must have.",
  "core/v1.PodSpec.os": "The operating system that the containers require.",
  "core/v1.PodSpec.overhead":
    "Resources that the Pod needs in addition to its containers. Set by the runtime class.",
  "core/v1.PodSpec.preemptionPolicy":
    "Whether Pods of lower priority may be removed to make room: PreemptLowerPriority or Never.",
  "core/v1.PodSpec.priority": "The value of priorityClassName. Higher values are scheduled first.",
  "core/v1.PodSpec.priorityClassName": "The PriorityClass that gives the Pod its priority.",
  "core/v1.PodSpec.readinessGates":
    "Additional conditions that must be true before the Pod counts as ready.",
  "core/v1.PodSpec.resourceClaims":
    "Devices the Pod claims before it can start, for its containers to use.",
  "core/v1.PodSpec.resources": "CPU and memory for the Pod as a whole, shared by its containers.",
  "core/v1.PodSpec.restartPolicy":
    "When a container that has ended is restarted: Always (the default), OnFailure or Never. " +
    "In a Job only the last two are allowed.",
  "core/v1.PodSpec.runtimeClassName": "The RuntimeClass that selects the container runtime.",
  "core/v1.PodSpec.schedulerName":
    "The scheduler that assigns a node; by default default-scheduler.",
  "core/v1.PodSpec.schedulingGates":
    "As long as any is left, the Pod is not scheduled. They can only be removed.",
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
  "core/v1.PodSpec.tolerations": "Taints of nodes that the Pod tolerates.",
  "core/v1.PodSpec.topologySpreadConstraints":
    "How evenly Pods like this one are spread over zones or nodes.",
  "core/v1.PodSpec.volumes": "The volumes that containers of the Pod can mount.",

  "core/v1.PodStatus": "The current state of a Pod.",
  "core/v1.PodStatus.allocatedResources":
    "The resources that the node has reserved for the Pod as a whole.",
  "core/v1.PodStatus.conditions":
    "Conditions of the Pod, such as PodScheduled, Initialized, ContainersReady, Ready or " +
    "DisruptionTarget.",
  "core/v1.PodStatus.containerStatuses": "The status of each container.",
  "core/v1.PodStatus.ephemeralContainerStatuses": "The status of each ephemeral container.",
  "core/v1.PodStatus.extendedResourceClaimStatus":
    "The claim created for extended resources of the Pod.",
  "core/v1.PodStatus.hostIP": "The address of the node.",
  "core/v1.PodStatus.hostIPs": "The addresses of the node, one per address family.",
  "core/v1.PodStatus.initContainerStatuses": "The status of each init container.",
  "core/v1.PodStatus.message": "Why the Pod is in its state, as a sentence for people.",
  "core/v1.PodStatus.nodeAllocatableResourceClaimStatuses":
    "How much of the node's CPU, memory and other resources its claims use.",
  "core/v1.PodStatus.nominatedNodeName":
    "The node on which room is being made for the Pod, for example by preemption.",
  "core/v1.PodStatus.observedGeneration": "The generation of the Pod that this status describes.",
  "core/v1.PodStatus.phase":
    "Pending: not all containers have started. Running: at least one has. Succeeded: all " +
    "ended with success. Failed: all ended, at least one with failure. Unknown: the node " +
    "cannot be reached.",
  "core/v1.PodStatus.podIP": "The address of the Pod.",
  "core/v1.PodStatus.podIPs": "The addresses of the Pod, one per address family.",
  "core/v1.PodStatus.qosClass":
    "Guaranteed, Burstable or BestEffort, depending on requests and limits. When memory runs " +
    "out, BestEffort Pods are killed first.",
  "core/v1.PodStatus.reason": "Why the Pod is in its state, as one word for programs.",
  "core/v1.PodStatus.resize": "The progress of a change of resources. Superseded by conditions.",
  "core/v1.PodStatus.resourceClaimStatuses": "The claims that were created for the Pod.",
  "core/v1.PodStatus.resources": "The current CPU and memory of the Pod as a whole.",
  "core/v1.PodStatus.startTime": "When the node accepted the Pod, before images were pulled.",

  "core/v1.PodCondition": "A condition of a Pod, and since when it has its status.",
  "core/v1.PodCondition.lastProbeTime": "When the condition was last checked.",
  "core/v1.PodCondition.lastTransitionTime": "When the status last changed.",
  "core/v1.PodCondition.message": "The reason as a sentence for people.",
  "core/v1.PodCondition.observedGeneration": "The generation of the Pod that was observed.",
  "core/v1.PodCondition.reason": "The reason as one word for programs.",
  "core/v1.PodCondition.status": "True, False or Unknown.",
  "core/v1.PodCondition.type": "The type of the condition.",

  "core/v1.PodSecurityContext":
    "User, groups and confinement of all containers that do not set their own.",
  "core/v1.PodSecurityContext.fsGroup":
    "A group that owns the volumes and that all containers belong to.",
  "core/v1.PodSecurityContext.runAsGroup": "The primary group of the processes.",
  "core/v1.PodSecurityContext.runAsNonRoot":
    "Whether to refuse to start a container that would run as root.",
  "core/v1.PodSecurityContext.runAsUser": "The user of the processes; the image's if left out.",
  "core/v1.PodSecurityContext.supplementalGroups": "Additional groups of the processes.",

  "core/v1.Toleration": "Tolerates taints that match in key, value and effect.",
  "core/v1.Toleration.effect": "NoSchedule, PreferNoSchedule or NoExecute; by default all.",
  "core/v1.Toleration.key": "The key of the taint; with operator Exists, empty matches all keys.",
  "core/v1.Toleration.operator":
    "How value is compared: Equal (the default), Exists for any value, or as numbers with " +
    "Lt and Gt.",
  "core/v1.Toleration.tolerationSeconds":
    "With NoExecute: how long the Pod may stay; by default forever.",
  "core/v1.Toleration.value": "The value of the taint.",
};
