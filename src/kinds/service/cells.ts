/** Pure: a Service as a table row. */
import type { Service, ServicePort, ServiceSpec } from "../../api/generated/core.ts";
import { age } from "../../api/print/age.ts";
import { formatLabels } from "../../api/print/selector.ts";
import type { Cell } from "../kind.ts";

export function cells(service: Service, now: Date): Cell[] {
  const { metadata, spec } = service;
  return [
    metadata.name ?? "",
    spec.type ?? "",
    spec.clusterIPs?.[0] ?? "<none>",
    externalAddress(service),
    formatPorts(spec.ports ?? []),
    age(metadata.creationTimestamp, now),
    formatLabels(spec.selector),
  ];
}

function externalAddress(service: Service): string {
  const { spec } = service;
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return listed(spec);
    case "LoadBalancer":
      return balanced(service);
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function listed({ externalIPs = [] }: ServiceSpec): string {
  return externalIPs.length > 0 ? externalIPs.join(",") : "<none>";
}

function balanced({ spec, status }: Service): string {
  const { externalIPs = [] } = spec;
  const ingress = (status.loadBalancer.ingress ?? []).flatMap(
    ({ ip, hostname }) => ip ?? hostname ?? [],
  );
  const found = [...[...new Set(ingress)].sort(), ...externalIPs];
  return found.length === 0 ? "<pending>" : found.join(",");
}

function formatPorts(ports: readonly ServicePort[]): string {
  if (ports.length === 0) return "<none>";
  return ports
    .map(({ port, protocol, nodePort }) =>
      nodePort === undefined ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`,
    )
    .join(",");
}
