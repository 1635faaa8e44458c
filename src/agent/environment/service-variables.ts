/** Pure: the variables by which a container finds the services of its namespace. */
import type { Service, ServicePort } from "../../api/generated/core.ts";
import type { Variable } from "./variable.ts";

export interface ServiceReader {
  readonly namespace: string;
  /** spec.enableServiceLinks */
  readonly hasServiceLinks: boolean;
  /** Where the API server is reached from the pod, if not by the address of its Service. */
  readonly apiServer?: ApiServerAddress;
}

export interface ApiServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The API server is known to every pod; a namespace's own service of that name hides it. */
const API_SERVER = { namespace: "default", name: "kubernetes" };

export function serviceVariables(
  services: readonly Service[],
  { namespace, hasServiceLinks, apiServer }: ServiceReader,
): Map<string, string> {
  const variables = new Map<string, string>();
  for (const service of services) {
    if (!isApiServer(service)) continue;
    const reached = apiServer === undefined ? service : reachedAt(service, apiServer);
    for (const [name, value] of variablesOf(reached)) variables.set(name, value);
  }
  if (!hasServiceLinks) return variables;
  const own = services.filter(
    (service) => service.metadata.namespace === namespace && !isApiServer(service),
  );
  if (own.some(({ metadata, spec }) => metadata.name === API_SERVER.name && hasAddress(spec))) {
    variables.clear();
  }
  for (const service of own) {
    for (const [name, value] of variablesOf(service)) variables.set(name, value);
  }
  return variables;
}

function isApiServer({ metadata }: Service): boolean {
  return metadata.name === API_SERVER.name && metadata.namespace === API_SERVER.namespace;
}

const reached = new WeakMap<
  Service,
  { readonly at: ApiServerAddress; readonly service: Service }
>();

/** The Service as it would be if its address were where the server really is. */
function reachedAt(service: Service, at: ApiServerAddress): Service {
  const known = reached.get(service);
  if (known?.at === at) return known.service;
  const { host: clusterIP, port } = at;
  const ports = (service.spec.ports ?? []).map((each) => ({ ...each, port }));
  const moved = { ...service, spec: { ...service.spec, clusterIP, ports } };
  reached.set(service, { at, service: moved });
  return moved;
}

function hasAddress({ clusterIP = "" }: Service["spec"]): boolean {
  return clusterIP !== "" && clusterIP !== "None";
}

/** A stored object never changes, and thousands of pods ask for the variables of the same few. */
const composed = new WeakMap<Service, readonly Variable[]>();

function variablesOf(service: Service): readonly Variable[] {
  const known = composed.get(service);
  if (known !== undefined) return known;
  const variables = composeVariables(service);
  composed.set(service, variables);
  return variables;
}

function composeVariables({ metadata, spec }: Service): readonly Variable[] {
  const { clusterIP = "", ports = [] } = spec;
  const [first] = ports;
  if (!hasAddress(spec) || first === undefined) return [];
  const prefix = variableName(metadata.name ?? "");
  const variables: Variable[] = [
    [`${prefix}_SERVICE_HOST`, clusterIP],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    [`${prefix}_PORT`, urlOf(clusterIP, first)],
  ];
  for (const port of ports) {
    if (port.name) {
      variables.push([`${prefix}_SERVICE_PORT_${variableName(port.name)}`, String(port.port)]);
    }
    const link = `${prefix}_PORT_${port.port}_${protocolOf(port)}`;
    variables.push(
      [link, urlOf(clusterIP, port)],
      [`${link}_PROTO`, protocolOf(port).toLowerCase()],
      [`${link}_PORT`, String(port.port)],
      [`${link}_ADDR`, clusterIP],
    );
  }
  return variables;
}

function variableName(name: string): string {
  return name.replaceAll("-", "_").toUpperCase();
}

function protocolOf({ protocol }: ServicePort): string {
  return (protocol || "TCP").toUpperCase();
}

function urlOf(address: string, port: ServicePort): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return `${protocolOf(port).toLowerCase()}://${host}:${port.port}`;
}
