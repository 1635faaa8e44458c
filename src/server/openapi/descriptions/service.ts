/** Pure: descriptions of the fields of Services. */
export const serviceDescriptions: { readonly [typeOrField: string]: string } = {
  "core/v1.Service": "One name and address for a changing set of Pods.",
  "core/v1.Service.spec": "The selected Pods, the ports, and how the Pods can be reached.",
  "core/v1.Service.status": "The addresses of a load balancer, if there is one.",
  "core/v1.ServiceSpec": "Which Pods belong to a Service and how they can be reached.",
  "core/v1.ServiceSpec.allocateLoadBalancerNodePorts":
    "Whether a LoadBalancer service also gets node ports; true if left out.",
  "core/v1.ServiceSpec.clusterIP":
    "The address within the cluster, by default chosen by the server. None makes the service " +
    "headless: its DNS name then resolves to the Pods themselves.",
  "core/v1.ServiceSpec.clusterIPs": "The addresses within the cluster, one per address family.",
  "core/v1.ServiceSpec.externalIPs":
    "Additional addresses at which nodes accept traffic for the service.",
  "core/v1.ServiceSpec.externalName":
    "For type ExternalName: the DNS name that the service is an alias for.",
  "core/v1.ServiceSpec.externalTrafficPolicy":
    "Whether traffic from outside may cross nodes (Cluster) or stays on the node it " +
    "reached (Local).",
  "core/v1.ServiceSpec.healthCheckNodePort":
    "For LoadBalancer with Local: the node port that reports whether a node has Pods of the " +
    "service.",
  "core/v1.ServiceSpec.internalTrafficPolicy":
    "Whether traffic from Pods may cross nodes (Cluster, the default) or stays on the " +
    "node (Local).",
  "core/v1.ServiceSpec.ipFamilies": "The address families, IPv4 and IPv6, in order of preference.",
  "core/v1.ServiceSpec.ipFamilyPolicy": "SingleStack, PreferDualStack or RequireDualStack.",
  "core/v1.ServiceSpec.loadBalancerClass": "Which implementation provides the load balancer.",
  "core/v1.ServiceSpec.loadBalancerIP": "The requested address. Many load balancers ignore it.",
  "core/v1.ServiceSpec.loadBalancerSourceRanges":
    "Address ranges from which the load balancer may be used.",
  "core/v1.ServiceSpec.ports": "The ports of the service.",
  "core/v1.ServiceSpec.publishNotReadyAddresses":
    "Whether Pods are listed before they are ready, for groups whose members must find each " +
    "other early.",
  "core/v1.ServiceSpec.selector":
    "Labels of the Pods of the service. Without it, you manage the endpoints yourself.",
  "core/v1.ServiceSpec.sessionAffinity":
    "ClientIP sends a client always to the same Pod; None (the default) does not.",
  "core/v1.ServiceSpec.sessionAffinityConfig": "How long a client stays with its Pod.",
  "core/v1.ServiceSpec.trafficDistribution": "Whether Pods near the client are preferred.",
  "core/v1.ServiceSpec.type":
    "ClusterIP (the default): an address within the cluster. NodePort: also a port on every " +
    "node. LoadBalancer: also a load balancer. ExternalName: only a DNS alias.",
  "core/v1.ServicePort": "A port of a service and its target.",
  "core/v1.ServicePort.appProtocol": "The application protocol, as a hint.",
  "core/v1.ServicePort.name": "A name, required if there is more than one port.",
  "core/v1.ServicePort.nodePort": "The port on every node. Chosen by the server if left out.",
  "core/v1.ServicePort.port": "The port of the service.",
  "core/v1.ServicePort.protocol": "TCP (the default), UDP or SCTP.",
  "core/v1.ServicePort.targetPort":
    "The port of the Pods, by number or name; the same as port if left out.",
  "core/v1.ServiceStatus": "The current state of a service.",
  "core/v1.ServiceStatus.conditions": "Conditions of the service.",
  "core/v1.ServiceStatus.loadBalancer": "The addresses of the load balancer.",
};
