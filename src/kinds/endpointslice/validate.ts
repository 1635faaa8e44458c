/** Pure: validates an EndpointSlice. */
import { isEqual } from "../../api/equal.ts";
import {
  duplicate,
  type Finding,
  invalid,
  notSupported,
  quote,
  required,
  tooMany,
} from "../../api/finding.ts";
import type {
  Endpoint,
  EndpointHints,
  EndpointPort,
  EndpointSlice,
} from "../../api/generated/discovery.ts";
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from "../../api/names.ts";
import { repetitions } from "../../api/repetitions.ts";
import { formatAddress, parseAddress } from "../../base/address.ts";
import { ipFamily, validateIp } from "../meta/addresses.ts";
import { validateLabels } from "../meta/labels.ts";
import { validateObjectMeta } from "../meta/object-meta.ts";
import { type AddressPlace, validateNonSpecialIp } from "../meta/special-addresses.ts";
import { invalidEach } from "../pod/syntax.ts";

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 20000;
const ADDRESSES_MAX = 100;
const HINTS_MAX = 8;
const TOPOLOGY_MAX = 16;

export function validateEndpointSlice(slice: EndpointSlice): Finding[] {
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  return [...validateObjectMeta(slice.metadata, rules), ...validateSliceContent(slice)];
}

/** Endpoints that an update does not change were validated before. */
export function validateSliceContent(slice: EndpointSlice, old?: EndpointSlice): Finding[] {
  const isKept = old !== undefined && isEqual(slice.endpoints, old.endpoints);
  return [
    ...validateAddressType(slice.addressType),
    ...(isKept ? [] : validateEndpoints(slice)),
    ...validatePorts(slice.ports ?? []),
  ];
}

function validateAddressType(type: string): Finding[] {
  if (type === "") return [required("addressType")];
  return ADDRESS_TYPES.includes(type) ? [] : [notSupported("addressType", type, ADDRESS_TYPES)];
}

function validateEndpoints({ metadata, endpoints, addressType }: EndpointSlice): Finding[] {
  const list = endpoints ?? [];
  if (list.length > ENDPOINTS_MAX) return [tooMany("endpoints", list.length, ENDPOINTS_MAX)];
  return list.flatMap((endpoint, at) =>
    validateEndpoint(endpoint, `endpoints[${at}]`, { type: addressType, place: metadata }),
  );
}

interface Addressing {
  readonly type: string;
  readonly place: AddressPlace;
}

function validateEndpoint(endpoint: Endpoint, path: string, addressing: Addressing): Finding[] {
  const { nodeName, hostname, deprecatedTopology = {}, hints } = endpoint;
  const topology = Object.keys(deprecatedTopology).length;
  return [
    ...validateAddresses(endpoint.addresses ?? [], `${path}.addresses`, addressing),
    ...(nodeName === undefined
      ? []
      : invalidEach(`${path}.nodeName`, nodeName, dns1123Subdomain(nodeName))),
    ...(topology > TOPOLOGY_MAX
      ? [tooMany(`${path}.deprecatedTopology`, topology, TOPOLOGY_MAX)]
      : []),
    ...validateLabels(deprecatedTopology, `${path}.deprecatedTopology`),
    ...(hostname === undefined
      ? []
      : invalidEach(`${path}.hostname`, hostname, dns1123Label(hostname))),
    ...(hints === undefined ? [] : validateHints(hints, `${path}.hints`)),
  ];
}

function validateAddresses(
  addresses: readonly string[],
  path: string,
  { type, place }: Addressing,
): Finding[] {
  if (addresses.length === 0) return [required(path, "must contain at least 1 address")];
  const many =
    addresses.length > ADDRESSES_MAX ? [tooMany(path, addresses.length, ADDRESSES_MAX)] : [];
  const each = addresses.flatMap((address, at) => {
    const field = `${path}[${at}]`;
    if (type === "FQDN") return validateDomain(address, field);
    if (type !== "IPv4" && type !== "IPv6") return [];
    const malformed = validateCanonicalIp(address, field);
    if (malformed.length > 0) return malformed;
    const isOfFamily = ipFamily(address) === type;
    return [
      ...(isOfFamily ? [] : [invalid(path, address, `must be an ${type} address`)]),
      ...validateNonSpecialIp(address, field, place),
    ];
  });
  return [...many, ...each];
}

/** Addresses must be in canonical form, because clients compare them as texts. */
function validateCanonicalIp(text: string, path: string): Finding[] {
  const malformed = validateIp(text, path);
  const address = parseAddress(text);
  if (malformed.length > 0 || address === undefined) return malformed;
  const canonical = formatAddress(address);
  if (canonical === text) return [];
  return [invalid(path, text, `must be in canonical form (${quote(canonical)})`)];
}

/** A name may end with a dot, which marks it as complete. */
function validateDomain(address: string, path: string): Finding[] {
  const name = address.replace(/\.$/, "");
  if (name === "") return [required(path)];
  const problems = dns1123Subdomain(name);
  if (problems.length > 0) return invalidEach(path, address, problems);
  const labels = name.split(".");
  if (labels.length < 2) {
    const detail = "should be a domain with at least two segments separated by dots";
    return [invalid(path, address, detail)];
  }
  return labels.flatMap((label) => invalidEach(path, label, dns1123Label(label)));
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: string): Finding[] {
  const lists = [
    { field: `${path}.forZones`, names: forZones.map(({ name }) => name), rule: labelValue },
    { field: `${path}.forNodes`, names: forNodes.map(({ name }) => name), rule: dns1123Subdomain },
  ];
  return lists.flatMap(({ field, names, rule }) => {
    if (names.length > HINTS_MAX) return [tooMany(field, names.length, HINTS_MAX)];
    const repeated = repetitions(names);
    return names.flatMap((name, at) => [
      ...(repeated.has(at) ? [duplicate(`${field}[${at}].name`, name)] : []),
      ...invalidEach(`${field}[${at}].name`, name, rule(name)),
    ]);
  });
}

function validatePorts(ports: readonly EndpointPort[]): Finding[] {
  if (ports.length > PORTS_MAX) return [tooMany("ports", ports.length, PORTS_MAX)];
  const seen = new Set<string>();
  return ports.flatMap(({ name = "", protocol = "", appProtocol }, at) => {
    const path = `ports[${at}]`;
    const findings = name === "" ? [] : invalidEach(`${path}.name`, name, dns1123Label(name));
    if (seen.has(name)) findings.push(duplicate(`${path}.name`, name));
    seen.add(name);
    if (!PROTOCOLS.includes(protocol)) {
      findings.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    }
    if (appProtocol === undefined) return findings;
    return [
      ...findings,
      ...invalidEach(`${path}.appProtocol`, appProtocol, qualifiedName(appProtocol)),
    ];
  });
}
