/**
 * Pure: warnings about containers: fractional bytes, and variables and ports that hide each other.
 */

import type { ContainerPort, EnvVar, PodSpec } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import type { StringMap } from "../meta/labels.ts";
import { SECCOMP_OF_CONTAINER } from "./validate-annotations.ts";
import { type VisitedContainer, visitContainers } from "./visit-containers.ts";
import { byteWarnings } from "./warnings-bytes.ts";

export const USE_SECCOMP_FIELD = 'non-functional in v1.27+; use the "seccompProfile" field instead';

export function containerWarnings(
  { container, path }: VisitedContainer,
  annotations: StringMap,
  annotationsPath: string,
): string[] {
  const key = `${SECCOMP_OF_CONTAINER}${container.name}`;
  const { limits, requests } = container.resources;
  const [limitsPath, requestsPath] = [`${path}.resources.limits`, `${path}.resources.requests`];
  return [
    ...(container.securityContext?.seccompProfile || annotations[key] === undefined
      ? []
      : [`${annotationsPath}[${key}]: ${USE_SECCOMP_FIELD}`]),
    ...["memory", "ephemeral-storage"].flatMap((name) => [
      ...byteWarnings(limits, limitsPath, [name]),
      ...byteWarnings(requests, requestsPath, [name]),
    ]),
    ...environmentWarnings(container.env ?? [], `${path}.env`),
  ];
}

/** A second definition is accepted if it refers to the first: PATH=$(PATH):/more. */
function environmentWarnings(variables: readonly EnvVar[], path: string): string[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name, value = "", valueFrom }, at) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const buildsOnIt = valueFrom === undefined && value !== reference && value.includes(reference);
    if (!isRepeated || buildsOnIt) return [];
    const hidden = `hides previous definition of ${JSON.stringify(name)}`;
    return [`${path}[${at}]: ${hidden}, which may be dropped when using apply`];
  });
}

export function portWarnings(spec: PodSpec, specPath: string): string[] {
  const ports = visitContainers(spec, specPath).flatMap((visited) =>
    (visited.container.ports ?? []).map((port, at) => ({
      port,
      path: `${visited.path}.ports[${at}]`,
      isShortLived: isShortLived(visited, specPath),
    })),
  );
  const seen = new Map<string, PlacedPort[]>();
  return [
    ...ports.flatMap(({ port, path }) => [
      ...hostIpWarnings(port, path),
      ...earlierOnes(seen, { port, path }).flatMap((other) =>
        conflictWarnings({ port, path }, other),
      ),
    ]),
    ...nameWarnings(ports.filter(({ isShortLived: isShort }) => !isShort)),
  ];
}

/**
 * The maximum number of ports of one number that are compared with later ones. A real pod has few;
 * without a limit an attacker could send many.
 */
const MOST_COMPARED = 16;

function earlierOnes(seen: Map<string, PlacedPort[]>, placed: PlacedPort): PlacedPort[] {
  const identity = `${placed.port.containerPort}/${placed.port.protocol}`;
  const before = seen.get(identity) ?? [];
  if (before.length < MOST_COMPARED) seen.set(identity, [...before, placed]);
  return before;
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: string;
}

function isShortLived({ container, path }: VisitedContainer, specPath: string): boolean {
  return path.startsWith(`${specPath}.initContainers`) && !isSidecar(container);
}

function hostIpWarnings(port: ContainerPort, path: string): string[] {
  const { name = "", hostPort = 0, containerPort, protocol = "", hostIP = "" } = port;
  if (hostIP === "" || hostPort !== 0) return [];
  const dump =
    `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} ` +
    `HostIP:${hostIP}}`;
  return [`${path}: hostIP set without hostPort: ${dump}`];
}

function conflictWarnings({ port, path }: PlacedPort, other: PlacedPort): string[] {
  const { hostIP = "", hostPort = 0 } = port;
  const { hostIP: otherIp = "", hostPort: otherPort = 0 } = other.port;
  const isSamePort =
    port.containerPort === other.port.containerPort && port.protocol === other.port.protocol;
  if (!isSamePort) return [];
  const warn = (how: string) => [`${path}: ${how} port definition with ${other.path}`];
  if (hostIP === otherIp && hostPort === otherPort) return warn("duplicate");
  if (hostPort === 0 || otherPort === 0) return warn("overlapping");
  const isAmbiguous = hostPort === otherPort && (hostIP === "") !== (otherIp === "");
  return isAmbiguous ? warn("dangerously ambiguous") : [];
}

function nameWarnings(ports: readonly PlacedPort[]): string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port: { name = "" }, path }) => {
    const other = first.get(name);
    if (name !== "" && other === undefined) first.set(name, path);
    if (other === undefined) return [];
    const effect = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${effect}`];
  });
}
