/** Pure: the sandbox that a container of a pod is to run in, or in kubelet's words why not. */
import type { Container, Pod } from "../../../api/generated/core.ts";
import { hostnameOf } from "../../environment/hostname.ts";
import { type ContainerProblem, configProblem } from "../../environment/variable.ts";
import { domainOf } from "../../network/domain.ts";
import { containersOf } from "../process/containers.ts";
import type { Sandbox, SandboxNetwork, SandboxUser, SharedNamespace } from "../runtime.ts";
import { capabilitiesOf, mayChangePlace } from "./capabilities.ts";
import { findUser, type UserTables } from "./users.ts";

export interface SandboxSurroundings {
  readonly nodeName: string;
  readonly sharedPaths: readonly string[];
  readonly hidesHomes?: boolean;
  /** Of the server. */
  readonly user: SandboxUser;
  readonly users: () => UserTables;
  /** Absent: the pod is on the network of the host. */
  readonly network?: SandboxNetwork;
  readonly files?: { readonly hosts: string; readonly resolvConf: string };
}

export type ComposedSandbox = Sandbox | { readonly problem: ContainerProblem };

const DEFAULT_MESSAGE_PATH = "/dev/termination-log";

export function composeSandbox(
  pod: Pod,
  container: Container,
  around: SandboxSurroundings,
): ComposedSandbox {
  const found = findUser(pod, container, around.user, around.users);
  if ("problem" in found) return configProblem(found.problem);
  const { securityContext = {} } = container;
  const capabilities = capabilitiesOf(securityContext);
  const { network, files } = around;
  const shares = sharedOf(pod);
  const sysctls = pod.spec.securityContext?.sysctls ?? [];
  return {
    hostname: hostOf(pod, around.nodeName),
    ...(network === undefined ? {} : { network }),
    ...files,
    ...(around.sharedPaths.length === 0 ? {} : { sharedPaths: around.sharedPaths }),
    ...(around.hidesHomes ? { hidesHomes: true } : {}),
    messagePath: container.terminationMessagePath ?? DEFAULT_MESSAGE_PATH,
    user: found.user,
    ...(capabilities === undefined ? {} : { capabilities }),
    mayGainPrivileges: securityContext.allowPrivilegeEscalation !== false,
    hasReadOnlyRoot: securityContext.readOnlyRootFilesystem === true,
    isAlone: isAlone(pod) && sysctls.length === 0 && !mayChangePlace(capabilities),
    ...(shares.length === 0 ? {} : { shares }),
    ...(sysctls.length === 0 ? {} : { sysctls: sysctls.map(({ name, value }) => [name, value]) }),
  };
}

/** The kernel has no longer name for a host. */
const LONGEST_HOSTNAME = 64;

function hostOf(pod: Pod, nodeName: string): string {
  const name = hostnameOf(pod, nodeName);
  const domain = domainOf(pod);
  const isWhole = pod.spec.setHostnameAsFQDN === true && domain !== "" && !pod.spec.hostNetwork;
  return isWhole ? `${name}.${domain}`.slice(0, LONGEST_HOSTNAME) : name;
}

function isAlone({ spec }: Pod): boolean {
  return containersOf(spec).length === 1 && !spec.ephemeralContainers?.length;
}

function sharedOf({ spec }: Pod): readonly SharedNamespace[] {
  return [
    ...(spec.shareProcessNamespace === true ? (["pid"] as const) : []),
    ...(spec.hostPID === true ? (["hostPid"] as const) : []),
    ...(spec.hostIPC === true ? (["hostIpc"] as const) : []),
  ];
}
