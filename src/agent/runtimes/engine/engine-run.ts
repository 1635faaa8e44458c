/** Pure: what a run has that is a container of an engine, besides what every run has. */
import type { ImageReference } from "./image-reference.ts";
import type { RegistryCredentials } from "./registry-credentials.ts";

/** Also the runtime classes by which pods ask for them. */
export const ENGINES = ["docker", "podman"] as const;
export type EngineName = (typeof ENGINES)[number];

export interface EngineRun {
  readonly name: EngineName;
  readonly image: WantedImage;
  /** Follow the run's command, or the entrypoint of the image where it has none. */
  readonly args: readonly string[];
  readonly hostname: string;
  /** Absent: the network of the host. */
  readonly network?: EngineNetwork;
  /** Files of this machine that it has as /etc/hosts and /etc/resolv.conf; absent: the engine's. */
  readonly files?: { readonly hosts: string; readonly resolvConf: string };
  /** Directories of this machine that every container has at the same place, and writes to. */
  readonly sharedPaths: readonly string[];
  /** Where the container finds its messageFile. */
  readonly messagePath: string;
  readonly user: {
    readonly uid?: number;
    readonly gid?: number;
    readonly groups: readonly number[];
  };
  /** Of one that must not be root, neither by what its pod says nor by what its image does. */
  readonly nonRoot?: {
    /** "name_namespace(uid)" */ readonly pod: string;
    readonly container: string;
  };
  readonly adds: readonly string[];
  readonly drops: readonly string[];
  readonly isPrivileged: boolean;
  readonly mayGainPrivileges: boolean;
  readonly hasReadOnlyRoot: boolean;
  readonly sharesPids: "pod" | "host" | "none";
  /** The container of the pod whose processes it sees, put there to debug it. */
  readonly debugged?: string;
  readonly sharesHostIpc: boolean;
  /** "unconfined", of a pod that asks for it. */
  readonly seccomp?: string;
  readonly sysctls: readonly (readonly [name: string, value: string])[];
  readonly hasInput: boolean;
  readonly isInputOnce: boolean;
  readonly hasTerminal: boolean;
}

export interface EngineNetwork {
  /** In the range of the engine's network that is ours. */
  readonly address: string;
  /** Ports of the host that lead to the pod; all its ports are reached by its address. */
  readonly hostPorts: readonly HostPort[];
}

export interface HostPort {
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
  readonly protocol: "tcp" | "udp" | "sctp";
}

export interface WantedImage {
  /** As the pod has it. */
  readonly name: string;
  readonly pullPolicy: "Always" | "IfNotPresent" | "Never";
  readonly credentials: (reference: ImageReference) => readonly RegistryCredentials[];
  /** What its pod's events say of it. */
  readonly tell: (type: "Normal" | "Warning", reason: string, message: string) => void;
}
