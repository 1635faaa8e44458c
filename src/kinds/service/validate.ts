/** Pure: validates a Service, in the order of Kubernetes. */

import {
  duplicate,
  type Finding,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../api/finding.ts";
import type { Service, ServicePort, ServiceSpec } from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import { repeats } from "../../base/repeats.ts";
import { validateIp } from "../meta/addresses.ts";
import { validateLabels } from "../meta/labels.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { validateNonSpecialIp } from "../meta/special-addresses.ts";
import { invalidEach, portNumber, validatePort } from "../pod/syntax.ts";
import { isHeadless } from "./defaults.ts";
import { validateClusterAddresses } from "./validate-addresses.ts";
import { validateExposure } from "./validate-exposure.ts";

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const AFFINITIES = ["ClientIP", "None"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const AFFINITY_MAX_SECONDS = 86400;
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
export const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";

export function validateService(service: Service): Finding[] {
  return [
    ...validateObjectMeta(service.metadata, { namespaced: true, nameRule: dns1123Label }),
    ...validateServiceContent(service),
  ];
}

/** Everything except the metadata, which an update validates before. */
export function validateServiceContent(service: Service, old?: Service): Finding[] {
  const { spec } = service;
  const { ports = [] } = spec;
  const findings = validateTopologyAnnotations(service);
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== "ExternalName") {
    findings.push(required("spec.ports"));
  }
  return [
    ...findings,
    ...validateByType(spec),
    ...validateServicePorts(ports),
    ...validateLabels(spec.selector, "spec.selector"),
    ...validateAffinity(spec),
    ...validateClusterAddresses(spec, old?.spec),
    ...(spec.externalIPs ?? []).flatMap((ip, at) => validateExternalIp(ip, at)),
    ...validateType(spec.type ?? ""),
    ...validatePortPairs(spec),
    ...validateExposure(service),
  ];
}

export function validateServiceStatusUpdate(next: Service, old: Service): Finding[] {
  const findings = validateObjectMetaUpdate(next.metadata, old.metadata);
  const ingresses = next.status.loadBalancer.ingress ?? [];
  if (next.spec.type !== "LoadBalancer" && ingresses.length > 0) {
    const detail = "may only be used when `spec.type` is 'LoadBalancer'";
    return [...findings, forbidden("status.loadBalancer.ingress", detail)];
  }
  return [
    ...findings,
    ...ingresses.flatMap((ingress, at) => {
      const path = `status.loadBalancer.ingress[${at}]`;
      const { ip, ipMode, hostname } = ingress;
      return [
        ...(ip === undefined ? [] : validateIp(ip, `${path}.ip`)),
        ...validateIpMode(ip, ipMode, `${path}.ipMode`),
        ...(hostname === undefined ? [] : validateIngressHost(hostname, `${path}.hostname`)),
      ];
    }),
  ];
}

function validateTopologyAnnotations({ metadata }: Service): Finding[] {
  const mode = metadata.annotations?.[TOPOLOGY_MODE];
  const hints = metadata.annotations?.[TOPOLOGY_HINTS];
  if (mode === undefined || hints === undefined || mode === hints) return [];
  const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, detail)];
}

function validateByType(spec: ServiceSpec): Finding[] {
  switch (spec.type) {
    case "LoadBalancer":
    case "NodePort":
      return validateNotHeadless(spec);
    case "ExternalName":
      return validateExternalName(spec);
    default:
      return [];
  }
}

function validateNotHeadless(spec: ServiceSpec): Finding[] {
  if (!isHeadless(spec)) return [];
  const detail = `may not be set to 'None' for ${spec.type} services`;
  return [invalid("spec.clusterIPs[0]", "None", detail)];
}

function validateExternalName(spec: ServiceSpec): Finding[] {
  const { clusterIPs, ipFamilies, ipFamilyPolicy, externalName = "" } = spec;
  const detail = "may not be set for ExternalName services";
  const findings = Object.entries({ clusterIPs, ipFamilies, ipFamilyPolicy })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => forbidden(`spec.${field}`, detail));
  // A name may end with a dot, which marks it as complete.
  const name = externalName.replace(/\.$/, "");
  if (name === "") return [...findings, required("spec.externalName")];
  return [...findings, ...invalidEach("spec.externalName", name, dns1123Subdomain(name))];
}

function validateServicePorts(ports: readonly ServicePort[]): Finding[] {
  const repeated = repeats(ports, ({ name = "" }) => name);
  return ports.flatMap((port, at) => {
    const isOnly = ports.length === 1;
    return validateServicePort(port, at, { isOnly, isTaken: repeated[at] === true });
  });
}

function validateServicePort(
  port: ServicePort,
  at: number,
  { isOnly, isTaken }: { readonly isOnly: boolean; readonly isTaken: boolean },
): Finding[] {
  const { name = "", protocol = "", targetPort = 0, appProtocol } = port;
  const path = `spec.ports[${at}]`;
  const findings: Finding[] = [];
  if (name !== "") {
    findings.push(...invalidEach(`${path}.name`, name, dns1123Label(name)));
    if (isTaken) findings.push(duplicate(`${path}.name`, name));
  } else if (!isOnly) {
    findings.push(required(`${path}.name`));
  }
  findings.push(...invalidEach(`${path}.port`, port.port, portNumber(port.port)));
  if (protocol === "") findings.push(required(`${path}.protocol`));
  else if (!PROTOCOLS.includes(protocol)) {
    findings.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
  }
  findings.push(...validatePort(targetPort, `${path}.targetPort`));
  if (appProtocol === undefined) return findings;
  return [
    ...findings,
    ...invalidEach(`${path}.appProtocol`, appProtocol, qualifiedName(appProtocol)),
  ];
}

function validateAffinity({ sessionAffinity = "", sessionAffinityConfig }: ServiceSpec): Finding[] {
  const path = "spec.sessionAffinityConfig";
  if (sessionAffinity === "") return [required("spec.sessionAffinity")];
  if (!AFFINITIES.includes(sessionAffinity)) {
    return [notSupported("spec.sessionAffinity", sessionAffinity, AFFINITIES)];
  }
  if (sessionAffinity === "None") {
    if (sessionAffinityConfig === undefined) return [];
    return [forbidden(path, "must not be set when session affinity is None")];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= AFFINITY_MAX_SECONDS) return [];
  const detail = `must be greater than 0 and less than ${AFFINITY_MAX_SECONDS}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, detail)];
}

function validateExternalIp(ip: string, at: number): Finding[] {
  const path = `spec.externalIPs[${at}]`;
  const findings = validateIp(ip, path);
  return findings.length > 0 ? findings : validateNonSpecialIp(ip, path);
}

function validateType(type: string): Finding[] {
  if (type === "") return [required("spec.type")];
  return TYPES.includes(type) ? [] : [notSupported("spec.type", type, TYPES)];
}

/** A port and a node port may be used once per protocol. */
function validatePortPairs({ type, ports = [] }: ServiceSpec): Finding[] {
  const misplaced = ports.flatMap(({ nodePort }, at) =>
    type === "ClusterIP" && nodePort !== undefined
      ? [forbidden(`spec.ports[${at}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
  const nodePortRepeats = repeats(ports, ({ nodePort, protocol }) => `${nodePort} ${protocol}`);
  const sharedNodePorts = ports.flatMap(({ nodePort }, at) =>
    nodePort !== undefined && nodePortRepeats[at]
      ? [duplicate(`spec.ports[${at}].nodePort`, nodePort)]
      : [],
  );
  const portRepeats = repeats(ports, ({ port, protocol }) => `${port} ${protocol}`);
  const sharedPorts = ports.flatMap(({ port, protocol }, at) =>
    portRepeats[at] ? [duplicate(`spec.ports[${at}]`, portDump(port, protocol ?? ""))] : [],
  );
  return [...misplaced, ...sharedNodePorts, ...sharedPorts];
}

/**
 * The pair in the format in which Kubernetes prints its internal type, with all other fields empty.
 */
function portDump(port: number, protocol: string): object {
  return {
    Name: "",
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}

function validateIpMode(ip: string | undefined, mode: string | undefined, path: string): Finding[] {
  if (mode === undefined)
    return ip === undefined ? [] : [required(path, "must be specified when `ip` is set")];
  if (ip === undefined) return [forbidden(path, "may not be specified when `ip` is not set")];
  return ["Proxy", "VIP"].includes(mode) ? [] : [notSupported(path, mode, ["Proxy", "VIP"])];
}

function validateIngressHost(hostname: string, path: string): Finding[] {
  const findings = invalidEach(path, hostname, dns1123Subdomain(hostname));
  if (validateIp(hostname, path).length > 0) return findings;
  return [...findings, invalid(path, hostname, "must be a DNS name, not an IP address")];
}
