/** Pure: what an engine is to do for a container of a pod, from what its manifest asks for. */
import type { Container, Pod, Secret, SecurityContext } from "../../../api/generated/core.ts";
import { hostnameOf } from "../../environment/hostname.ts";
import type { EngineNetwork, EngineRun, HostPort, WantedImage } from "./engine-run.ts";
import { credentialsFor } from "./registry-credentials.ts";

export interface EngineSurroundings {
  readonly name: EngineRun["name"];
  readonly nodeName: string;
  /** With every reference to a variable replaced. */
  readonly args: readonly string[];
  /** In the range of the engine's network that is ours. */
  readonly podIp: string;
  readonly files?: EngineRun["files"];
  readonly sharedPaths: readonly string[];
  /** Those that the pod names for its images, as far as they are there. */
  readonly pullSecrets: readonly Secret[];
  readonly tell: WantedImage["tell"];
}

export function composeEngineRun(
  pod: Pod,
  container: Container,
  around: EngineSurroundings,
): EngineRun {
  const { spec } = pod;
  const { securityContext: own = {}, stdin, stdinOnce, tty } = container;
  const network = networkOf(pod, around.podIp);
  const isPrivileged = own.privileged === true;
  const seccomp = own.seccompProfile ?? spec.securityContext?.seccompProfile;
  return {
    name: around.name,
    image: wantedImage(container, around),
    args: around.args,
    hostname: hostnameOf(pod, around.nodeName),
    ...(network === undefined ? {} : { network }),
    ...(around.files === undefined ? {} : { files: around.files }),
    sharedPaths: around.sharedPaths,
    messagePath: container.terminationMessagePath ?? "/dev/termination-log",
    user: userOf(pod, own),
    ...nonRootOf(pod, container),
    adds: own.capabilities?.add ?? [],
    drops: own.capabilities?.drop ?? [],
    isPrivileged,
    mayGainPrivileges: own.allowPrivilegeEscalation !== false || isPrivileged,
    hasReadOnlyRoot: own.readOnlyRootFilesystem === true,
    sharesPids: spec.hostPID ? "host" : spec.shareProcessNamespace ? "pod" : "none",
    ...debuggedBy(pod, container),
    sharesHostIpc: spec.hostIPC === true,
    ...(seccomp?.type === "Unconfined" ? { seccomp: "unconfined" } : {}),
    sysctls: (spec.securityContext?.sysctls ?? []).map(({ name, value }) => [name, value] as const),
    hasInput: stdin === true,
    isInputOnce: stdinOnce === true,
    hasTerminal: tty === true,
  };
}

function wantedImage(container: Container, { pullSecrets, tell }: EngineSurroundings): WantedImage {
  const { image = "", imagePullPolicy } = container;
  return {
    name: image,
    // One of the three, by validation; where there is none, defaults had no say.
    pullPolicy: (imagePullPolicy ?? "IfNotPresent") as WantedImage["pullPolicy"],
    credentials: (reference) => credentialsFor(reference, pullSecrets),
    tell,
  };
}

/** None of its own for a pod on the network of the host. */
function networkOf({ spec }: Pod, address: string): EngineNetwork | undefined {
  if (spec.hostNetwork === true) return undefined;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const ports = containers.flatMap((container) => container.ports ?? []);
  const hostPorts = ports.flatMap((port): HostPort[] => {
    const { containerPort, hostPort = 0, hostIP = "", protocol = "TCP" } = port;
    if (hostPort === 0) return [];
    const kind = protocol.toLowerCase() as HostPort["protocol"];
    return [{ containerPort, hostPort, hostIp: hostIP, protocol: kind }];
  });
  return { address, hostPorts };
}

function debuggedBy({ spec }: Pod, container: Container): Pick<EngineRun, "debugged"> {
  const debugging = spec.ephemeralContainers?.find(({ name }) => name === container.name);
  const debugged = debugging?.targetContainerName ?? "";
  return debugged === "" ? {} : { debugged };
}

function nonRootOf({ metadata, spec }: Pod, container: Container): Pick<EngineRun, "nonRoot"> {
  const own = container.securityContext?.runAsNonRoot;
  if ((own ?? spec.securityContext?.runAsNonRoot) !== true) return {};
  const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  return { nonRoot: { pod, container: container.name } };
}

function userOf({ spec }: Pod, own: SecurityContext): EngineRun["user"] {
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = spec.securityContext ?? {};
  const uid = own.runAsUser ?? runAsUser;
  const gid = own.runAsGroup ?? runAsGroup;
  const groups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    groups: [...new Set(groups)],
  };
}
