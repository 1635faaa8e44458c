/** Pure: Endpoints: replaced by EndpointSlices, kept for clients that still read them. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, notSupported, required } from "../../api/finding.ts";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Endpoints,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { validateIp } from "../meta/addresses.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { type AddressPlace, validateNonSpecialIp } from "../meta/special-addresses.ts";
import { invalidEach, portNumber } from "../pod/syntax.ts";

const SHOWN_MAX = 3;
const PROTOCOLS = ["SCTP", "TCP", "UDP"];

const META_RULES = { namespaced: true, nameRule: dns1123Subdomain };

export const endpointsKind = defineKind<Endpoints>({
  group: "",
  version: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  singular: "endpoints",
  namespaced: true,
  shortNames: ["ep"],
  message: "core/v1.Endpoints",
  createsOnUpdate: true,
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  rules: {
    setDefaults,
    validate,
    validateUpdate,
  },
  columns: [
    nameColumn,
    column(
      "Endpoints",
      "The set of all endpoints is the union of all subsets. Addresses are placed into subsets " +
        "according to the IPs they share. A single address with multiple ports, some of which " +
        "are ready and some of which are not (because they come from different containers) will " +
        "result in the address being displayed in different subsets for the different ports. No " +
        "address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of " +
        "addresses and ports that comprise a service.",
    ),
    ageColumn,
  ],
  cells: ({ metadata, subsets = [] }, now) => [
    metadata.name ?? "",
    formatEndpoints(subsets),
    age(metadata.creationTimestamp, now),
  ],
});

function setDefaults({ subsets = [] }: Draft<Endpoints>): void {
  for (const { ports = [] } of subsets) for (const port of ports) port.protocol ??= "TCP";
}

function validate({ metadata, subsets }: Endpoints): Finding[] {
  return [...validateObjectMeta(metadata, META_RULES), ...validateSubsets(subsets ?? [], metadata)];
}

function validateUpdate(next: Endpoints, old: Endpoints): Finding[] {
  const findings = [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateObjectMeta(next.metadata, META_RULES),
  ];
  if (isEqual(next.subsets, old.subsets)) return findings;
  return [...findings, ...validateSubsets(next.subsets ?? [], next.metadata)];
}

function validateSubsets(subsets: readonly EndpointSubset[], place: AddressPlace): Finding[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, at) => {
    const path = `subsets[${at}]`;
    const isEmpty = addresses.length + notReadyAddresses.length === 0;
    const empty = required(path, "must specify `addresses` or `notReadyAddresses`");
    return [
      ...(isEmpty ? [empty] : []),
      ...validateAddresses(addresses, `${path}.addresses`, place),
      ...validateAddresses(notReadyAddresses, `${path}.notReadyAddresses`, place),
      ...ports.flatMap((port, index) =>
        validatePort(port, `${path}.ports[${index}]`, ports.length > 1),
      ),
    ];
  });
}

function validateAddresses(
  addresses: readonly EndpointAddress[],
  path: string,
  place: AddressPlace,
): Finding[] {
  return addresses.flatMap(({ ip, hostname, nodeName }, at) => {
    const field = `${path}[${at}]`;
    return [
      ...validateIp(ip, `${field}.ip`),
      ...(hostname === undefined
        ? []
        : invalidEach(`${field}.hostname`, hostname, dns1123Label(hostname))),
      ...(nodeName === undefined
        ? []
        : invalidEach(`${field}.nodeName`, nodeName, dns1123Subdomain(nodeName))),
      ...validateNonSpecialIp(ip, `${field}.ip`, place),
    ];
  });
}

function validatePort(endpointPort: EndpointPort, path: string, needsName: boolean): Finding[] {
  const { name = "", port, protocol = "", appProtocol } = endpointPort;
  const unnamed = needsName ? [required(`${path}.name`)] : [];
  return [
    ...(name === "" ? unnamed : invalidEach(`${path}.name`, name, dns1123Label(name))),
    ...invalidEach(`${path}.port`, port, portNumber(port)),
    ...(PROTOCOLS.includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...(appProtocol === undefined
      ? []
      : invalidEach(`${path}.appProtocol`, appProtocol, qualifiedName(appProtocol))),
  ];
}

function formatEndpoints(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => joinHostPort(ip, port))),
  );
  const shown = all.slice(0, SHOWN_MAX).join(",");
  return all.length > SHOWN_MAX ? `${shown} + ${all.length - SHOWN_MAX} more...` : shown;
}

function joinHostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
