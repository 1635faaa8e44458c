/** Pure: runs, and the networks of their pods, as the Docker Engine API wants them described. */
import type { Mount, RunRequest } from "../runtime.ts";
import type { EngineNetwork, EngineRun } from "./engine-run.ts";
import type { FoundImage } from "./images.ts";

/** Whose a container is, which run it is, and of which pod. */
export const OWNER_LABEL = "tallyjob.io/owner";
export const RUN_LABEL = "tallyjob.io/run";
export const POD_LABEL = "tallyjob.io/pod";
/** For the server that finds it: where its output goes, and what its image is called. */
export const LOG_LABEL = "tallyjob.io/log";
export const ERROR_LOG_LABEL = "tallyjob.io/error-log";
export const IMAGE_LABEL = "tallyjob.io/image-id";
/** Which index of which Job it runs. */
export const PLACE_LABEL = "tallyjob.io/place";

/** A run that is a container. */
export type ContainerRequest = RunRequest & { readonly engine: EngineRun };

export interface BodySurroundings {
  readonly owner: string;
  readonly run: string;
  readonly image: FoundImage;
  /** The container that holds the network of the pod; absent: it is that of the host. */
  readonly holder?: string;
  /** The container whose processes it sees. */
  readonly debugged?: string;
  /** Files that the runtime supplies: /etc/hosts and what else the pod has of its own. */
  readonly files: readonly Mount[];
  /** Docker takes the hostname of whom the network is shared with; Podman has to be told. */
  readonly isPodman: boolean;
}

/** What the container runs; empty where neither it nor its image say. */
export function argumentsOf(
  { command, engine }: ContainerRequest,
  image: FoundImage,
): readonly string[] {
  if (command.length > 0) return [...command, ...engine.args];
  return [...image.entrypoint, ...(engine.args.length > 0 ? engine.args : image.command)];
}

export function containerBody(request: ContainerRequest, around: BodySurroundings): object {
  const { engine, environment, workingDirectory } = request;
  const [entrypoint = "", ...args] = argumentsOf(request, around.image);
  const user = userOf(engine.user);
  return {
    Image: around.image.id,
    Entrypoint: [entrypoint],
    Cmd: args,
    Env: environment.map(([name, value]) => `${name}=${value}`),
    ...(workingDirectory === undefined ? {} : { WorkingDir: workingDirectory }),
    ...(user === undefined ? {} : { User: user }),
    Labels: {
      [OWNER_LABEL]: around.owner,
      [RUN_LABEL]: around.run,
      [POD_LABEL]: request.id.podUid,
      [LOG_LABEL]: request.logFile,
      ...(request.errorFile === undefined ? {} : { [ERROR_LOG_LABEL]: request.errorFile }),
      [IMAGE_LABEL]: around.image.imageId,
      ...(request.place === undefined ? {} : { [PLACE_LABEL]: request.place }),
    },
    AttachStdin: engine.hasInput,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: engine.hasInput,
    StdinOnce: engine.isInputOnce,
    Tty: engine.hasTerminal,
    HostConfig: hostConfig(request, around),
  };
}

function hostConfig(request: ContainerRequest, around: BodySurroundings): object {
  const { holder, debugged, files, isPodman } = around;
  const { engine, mounts = [] } = request;
  const held = holder === undefined ? undefined : `container:${holder}`;
  const uts = held === undefined ? "host" : isPodman ? held : undefined;
  const shared = { pod: held, host: "host", none: undefined }[engine.sharesPids];
  const pid = debugged === undefined ? shared : `container:${debugged}`;
  return {
    NetworkMode: held ?? "host",
    ...(uts === undefined ? {} : { UTSMode: uts }),
    IpcMode: engine.sharesHostIpc ? "host" : (held ?? "private"),
    ...(pid === undefined ? {} : { PidMode: pid }),
    Mounts: [...files, ...mounts].map(mountOf),
    Privileged: engine.isPrivileged,
    ...(engine.adds.length === 0 ? {} : { CapAdd: engine.adds }),
    ...(engine.drops.length === 0 ? {} : { CapDrop: engine.drops }),
    SecurityOpt: securityOptions(engine),
    ReadonlyRootfs: engine.hasReadOnlyRoot,
    GroupAdd: engine.user.groups.map(String),
    ...limitsOf(request),
  };
}

function securityOptions({ mayGainPrivileges, seccomp }: EngineRun): readonly string[] {
  return [
    ...(mayGainPrivileges ? [] : ["no-new-privileges"]),
    ...(seccomp === undefined ? [] : [`seccomp=${seccomp}`]),
  ];
}

/** Microseconds: kubelet's own. */
const CPU_PERIOD = 100_000;
const LEAST_QUOTA = 1_000;

function limitsOf({ limits = {} }: ContainerRequest): object {
  const { cpuMillis, memoryBytes } = limits;
  const quota =
    cpuMillis === undefined ? 0 : Math.max((cpuMillis * CPU_PERIOD) / 1000, LEAST_QUOTA);
  return {
    ...(cpuMillis === undefined ? {} : { CpuPeriod: CPU_PERIOD, CpuQuota: quota }),
    ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
  };
}

/** That of the image where the pod names none. */
function userOf({ uid, gid }: EngineRun["user"]): string | undefined {
  if (uid === undefined) return gid === undefined ? undefined : `0:${gid}`;
  return gid === undefined ? String(uid) : `${uid}:${gid}`;
}

const PROPAGATION = { HostToContainer: "rslave", Bidirectional: "rshared" } as const;

function mountOf({ source, mountPath, isReadOnly, propagation }: Mount): object {
  return {
    Type: "bind",
    Source: source,
    Target: mountPath,
    ReadOnly: isReadOnly,
    BindOptions: {
      Propagation: propagation === undefined ? "rprivate" : PROPAGATION[propagation],
    },
  };
}

export interface HolderSurroundings {
  readonly owner: string;
  readonly podUid: string;
  /** Of the image that does nothing. */
  readonly image: string;
  /** The engine's network that is ours. */
  readonly networkName: string;
  readonly network: EngineNetwork;
}

/** The container that holds what the others of a pod share, and does nothing else. */
export function holderBody({ hostname, sysctls }: EngineRun, around: HolderSurroundings): object {
  const { owner, podUid, image, networkName, network } = around;
  const ports = portBindings(network);
  const endpoint = { IPAMConfig: { IPv4Address: network.address } };
  return {
    Image: image,
    Entrypoint: ["/pause"],
    Cmd: [],
    Hostname: hostname,
    Labels: { [OWNER_LABEL]: owner, [POD_LABEL]: podUid },
    ExposedPorts: Object.fromEntries(Object.keys(ports).map((name) => [name, {}])),
    HostConfig: {
      NetworkMode: networkName,
      IpcMode: "shareable",
      PortBindings: ports,
      ReadonlyRootfs: true,
      ...(sysctls.length === 0 ? {} : { Sysctls: Object.fromEntries(sysctls) }),
    },
    NetworkingConfig: { EndpointsConfig: { [networkName]: endpoint } },
  };
}

/** Several ports of the host may lead to one of the pod. */
function portBindings({ hostPorts }: EngineNetwork): { readonly [port: string]: object[] } {
  const bindings: Record<string, object[]> = {};
  for (const { containerPort, protocol, hostIp, hostPort } of hostPorts) {
    const port = `${containerPort}/${protocol}`;
    const binding = { HostIp: hostIp, HostPort: String(hostPort) };
    bindings[port] = [...(bindings[port] ?? []), binding];
  }
  return bindings;
}
