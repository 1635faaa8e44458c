/** Pure: what the fields of Services mean. */
export const serviceDescriptions: { readonly [typeOrField: string]: string } = {
  "core/v1.Service": "One name and address for a changing set of Pods.",
  "core/v1.Service.spec": "Which Pods, on which ports, and from where they can be reached.",
  "core/v1.Service.status": "The addresses of a load balancer, if there is one.",
  "core/v1.ServiceSpec": "Which Pods are behind a Service and how they are reached.",
  "core/v1.ServiceSpec.allocateLoadBalancerNodePorts":
    "Whether a LoadBalancer service also gets node ports; true if left out.",
  "core/v1.ServiceSpec.clusterIP":
    "The address within the cluster. Chosen by the server if left out; None makes the " +
    "service headless, so that its name leads to the Pods themselves.",
  "core/v1.ServiceSpec.clusterIPs": "The addresses within the cluster, one per address family.",
  "core/v1.ServiceSpec.externalIPs":
    "Further addresses at which nodes accept traffic for the service.",
  "core/v1.ServiceSpec.externalName": "For type ExternalName: the DNS name this one stands for.",
  "core/v1.ServiceSpec.externalTrafficPolicy":
    "Whether traffic from outside may cross nodes (Cluster) or stays on the node it " +
    "reached (Local).",
  "core/v1.ServiceSpec.healthCheckNodePort":
    "For LoadBalancer with Local: the node port that tells whether a node has Pods of the service.",
  "core/v1.ServiceSpec.internalTrafficPolicy":
    "Whether traffic from Pods may cross nodes (Cluster, the default) or stays on the " +
    "node (Local).",
  "core/v1.ServiceSpec.ipFamilies": "The address families, IPv4 and IPv6, in order of preference.",
  "core/v1.ServiceSpec.ipFamilyPolicy": "SingleStack, PreferDualStack or RequireDualStack.",
  "core/v1.ServiceSpec.loadBalancerClass": "Which implementation provides the load balancer.",
  "core/v1.ServiceSpec.loadBalancerIP": "The address wished for. Many load balancers ignore it.",
  "core/v1.ServiceSpec.loadBalancerSourceRanges":
    "Address ranges from which the load balancer may be used.",
  "core/v1.ServiceSpec.ports": "The ports of the service.",
  "core/v1.ServiceSpec.publishNotReadyAddresses":
    "Whether Pods are listed before they are ready. Members of a group that must find " +
    "each other early need it.",
  "core/v1.ServiceSpec.selector":
    "Labels of the Pods behind the service. Without it, endpoints are up to you.",
  "core/v1.ServiceSpec.sessionAffinity":
    "ClientIP keeps a client with one Pod; None (the default) does not.",
  "core/v1.ServiceSpec.sessionAffinityConfig": "How long clients are kept with their Pod.",
  "core/v1.ServiceSpec.trafficDistribution": "Whether Pods near the client are preferred.",
  "core/v1.ServiceSpec.type":
    "ClusterIP (the default): an address within the cluster. NodePort: also a port on " +
    "every node. LoadBalancer: also a load balancer. ExternalName: nothing but a DNS " +
    "alias.",
  "core/v1.ServicePort": "A port of a service and where it leads.",
  "core/v1.ServicePort.appProtocol": "The protocol spoken on top, as a hint.",
  "core/v1.ServicePort.name": "A name, needed if there is more than one port.",
  "core/v1.ServicePort.nodePort": "The port on every node. Chosen by the server if left out.",
  "core/v1.ServicePort.port": "The port of the service.",
  "core/v1.ServicePort.protocol": "TCP (the default), UDP or SCTP.",
  "core/v1.ServicePort.targetPort":
    "The port of the Pods, by number or name; the same as port if left out.",
  "core/v1.ServiceStatus": "What is known about a service.",
  "core/v1.ServiceStatus.conditions": "What is true of the service.",
  "core/v1.ServiceStatus.loadBalancer": "The addresses of the load balancer.",
};
