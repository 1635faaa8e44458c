/** Pure: a Service in detail. */
import type { Event, LoadBalancerIngress, Service, ServicePort } from "../../api/generated/core.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import { formatLabels } from "../../api/print/selector.ts";
import { eventLines } from "./events.ts";
import { annotationLines, field, type Lines, labelLines, optionalField } from "./fields.ts";

export interface ServiceFacts {
  readonly slices: readonly EndpointSlice[];
  readonly events: readonly Event[] | undefined;
}

export function serviceLines(
  { metadata, spec, status }: Service,
  { slices, events }: ServiceFacts,
  nowMs: number,
): Lines {
  const ingress = (status.loadBalancer?.ingress ?? []).map(ingressText).join(", ");
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    field("Selector", formatLabels(spec.selector)),
    field("Type", spec.type ?? ""),
    ...optionalField("IP Family Policy", spec.ipFamilyPolicy),
    field("IP Families", (spec.ipFamilies ?? []).join(",") || "<none>"),
    field("IP", spec.clusterIP ?? ""),
    field("IPs", (spec.clusterIPs ?? []).join(",") || "<none>"),
    ...optionalField("External IPs", (spec.externalIPs ?? []).join(",")),
    ...optionalField("Desired LoadBalancer IP", spec.loadBalancerIP),
    ...optionalField("External Name", spec.externalName),
    ...optionalField("LoadBalancer Ingress", ingress),
    ...(spec.ports ?? []).flatMap((port) => portLines(port, slices)),
    field("Session Affinity", spec.sessionAffinity ?? ""),
    ...optionalField("External Traffic Policy", spec.externalTrafficPolicy),
    ...optionalField("Internal Traffic Policy", spec.internalTrafficPolicy),
    ...optionalField("HealthCheck NodePort", spec.healthCheckNodePort || undefined),
    ...optionalField("LoadBalancer Source Ranges", (spec.loadBalancerSourceRanges ?? []).join(",")),
    ...optionalField("Traffic Distribution", spec.trafficDistribution),
    ...eventLines(events, nowMs),
  ];
}

function ingressText({ ip, ipMode, hostname = "" }: LoadBalancerIngress): string {
  if (!ip) return hostname;
  return ipMode === undefined ? ip : `${ip} (${ipMode})`;
}

function portLines(port: ServicePort, slices: readonly EndpointSlice[]): Lines {
  const { name = "", port: number, protocol = "", targetPort, appProtocol, nodePort = 0 } = port;
  const shown = name || "<unset>";
  return [
    `Port:\t${shown}\t${number}/${protocol}`,
    field("TargetPort", `${targetPort}/${protocol}`),
    ...optionalField("AppProtocol", appProtocol),
    ...(nodePort === 0 ? [] : [`NodePort:\t${shown}\t${nodePort}/${protocol}`]),
    field("Endpoints", endpointsText(slices, name)),
  ];
}

const SHOWN_ENDPOINTS = 3;

function endpointsText(slices: readonly EndpointSlice[], portName: string): string {
  if (slices.length === 0) return "<none>";
  const all = slices.flatMap(({ ports, endpoints }) => {
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    const addresses = ready.map(({ addresses: own }) => own?.[0] ?? "");
    if (!ports || ports.length === 0) return addresses;
    return ports
      .filter(({ name }) => (name ?? "") === portName)
      .flatMap(({ port }) => addresses.map((address) => joined(address, port ?? 0)));
  });
  const shown = all.slice(0, SHOWN_ENDPOINTS).join(",");
  const more = all.length - SHOWN_ENDPOINTS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function joined(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
