/**
 * What a node agent asks of whatever runs its containers: processes of the host, sandboxes, an
 * engine for images. A runtime knows no pods: it starts runs, signals them, and tells how they
 * ended, also those that ended while nobody was there to hear it.
 */
import type { Closable } from "../../api/client.ts";
import type { AttachRequest, CommandStream } from "../../api/stream-source.ts";
import type { EngineName, EngineRun } from "./engine/engine-run.ts";

export type RuntimeName = "process" | "sandbox" | EngineName;

/** One run of one container. Attempts count from 0: the restartCount at its start. */
export interface RunId {
  readonly podUid: string;
  readonly container: string;
  readonly attempt: number;
}

export interface RunRequest {
  readonly id: RunId;
  /** Never empty. */
  readonly command: readonly string[];
  readonly environment: readonly (readonly [name: string, value: string])[];
  /** Absent: the server's own. */
  readonly workingDirectory?: string;
  /** The process itself appends its output here. */
  readonly logFile: string;
  /** Where stderr goes instead, of a pod that wants its outputs apart. */
  readonly errorFile?: string;
  /** What the process writes here, under the name its runtime gives it, is told of its end. */
  readonly messageFile?: string;
  readonly limits?: { readonly cpuMillis?: number; readonly memoryBytes?: number };
  /** Of a process of the host; absent: as the server has them. */
  readonly settings?: ProcessSettings;
  /** Somebody may attach to it; absent: it has no input. */
  readonly input?: {
    readonly stdin: boolean;
    readonly tty: boolean;
    /** Its input ends with the first who attached. */
    readonly isOnce: boolean;
  };
  /** What it has besides its root, in the order in which it is to be mounted. */
  readonly mounts?: readonly Mount[];
  /** Token, ca.crt and namespace of its ServiceAccount, of a run that does not mount them. */
  readonly accountDirectory?: string;
  /** Absent: it is a process of the host, with the files and the network of the host. */
  readonly sandbox?: Sandbox;
  /** Of a run that is a container of an image; its command may be empty: the image has one. */
  readonly engine?: EngineRun;
  /** Which index of which Job it runs: recorded with the run, and told by `recover`. */
  readonly place?: string;
}

/** What a process is started with besides its environment. */
export interface ProcessSettings {
  /** Octal: "0022". */
  readonly umask: string;
  /** As base/process-limits.ts writes them. */
  readonly limits: string;
  /** Told at a start that goes on with less: the limits that could not be had. */
  readonly onUnmet?: (unmet: readonly string[]) => void;
}

/** What a run has of its own that a process of the host shares with all others. */
export interface Sandbox {
  readonly hostname: string;
  /** Of its own, which the containers of a pod share; absent: the host's. */
  readonly network?: SandboxNetwork;
  /** Files of the host that it has as /etc/hosts and /etc/resolv.conf; absent: the host's own. */
  readonly hosts?: string;
  readonly resolvConf?: string;
  /** Directories of the host that it has under the same names, and writes to. */
  readonly sharedPaths?: readonly string[];
  /**
   * Whether homes and temporary directories begin with nothing in them, but for `sharedPaths`;
   * absent: they show what the host has there.
   */
  readonly hidesHomes?: boolean;
  /** Where the container finds `messageFile`. */
  readonly messagePath: string;
  readonly user: SandboxUser;
  /** Capabilities it may ever have, as "NET_RAW"; absent: all that the server has. */
  readonly capabilities?: readonly string[];
  readonly mayGainPrivileges: boolean;
  readonly hasReadOnlyRoot: boolean;
  /** Whether others of its pod run beside it or after it: they share what is the pod's. */
  readonly isAlone: boolean;
  readonly shares?: readonly SharedNamespace[];
  readonly sysctls?: readonly (readonly [name: string, value: string])[];
}

export interface SandboxNetwork {
  /** "10.205.3.7" */
  readonly address: string;
  readonly prefixLength: number;
  /** The host's own address in that range. */
  readonly gateway: string;
}

export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** "pid" with the other containers of its pod; the others with the host. */
export type SharedNamespace = "pid" | "hostPid" | "hostIpc";

/** A directory or a file of the host that a container has at a place of its own. */
export interface Mount {
  /** Absolute, and without symbolic links when it was looked at. */
  readonly source: string;
  /** Absolute, in the container. What is not there is made. */
  readonly mountPath: string;
  readonly isReadOnly: boolean;
  /** Absent: none. */
  readonly propagation?: "HostToContainer" | "Bidirectional";
  /**
   * Of a part of a volume: what has to be found at mountPath once it is mounted. Whoever writes to
   * the volume may have put a link in its place since it was looked at; then the run is refused.
   */
  readonly identity?: { readonly device: number; readonly inode: number };
}

/** A command beside a run, in the same surroundings. */
export interface ExecRequest {
  readonly of: RunId;
  /** "postStart": asked for again, be it by another server, it is the same one. */
  readonly name: string;
  /** Never empty. */
  readonly command: readonly string[];
  readonly environment: RunRequest["environment"];
  readonly workingDirectory?: string;
  readonly settings?: ProcessSettings;
  /** What it prints goes here; absent: it is nobody's. */
  readonly outputFile?: string;
  /** Nobody will ask for it a second time: it is forgotten when it is over. */
  readonly isPassing?: boolean;
}

/** The command beside a run for whoever starts it himself, with streams of its own. */
export interface CommandBeside {
  readonly command: readonly string[];
  readonly environment: RunRequest["environment"];
  readonly directory: string;
  /** What marks its processes as those of the run. */
  readonly run: string;
}

/** Which streams are wanted, and what they are called, is the API's. */
export interface RunStreams {
  exec(request: ExecRequest, wanted: AttachRequest): Promise<CommandStream>;
  attach(wanted: AttachRequest): Promise<CommandStream>;
}

/** What its container and image are called where there are such things. */
export interface NamedContainer {
  /** "podman://4f3c…" */
  readonly containerId?: string;
  /** "quay.io/org/tool@sha256:…" */
  readonly imageId?: string;
}

/** What only `recover` tells. */
export interface Recorded {
  /** Where the run was started. */
  readonly runtime?: RuntimeName;
}

export interface Running extends NamedContainer, Recorded {
  readonly id: RunId;
  readonly pid: number;
  readonly startedMs: number;
  /** Of a recovered run: the place it was started with. */
  readonly place?: string;
}

export interface Exit extends NamedContainer, Recorded {
  readonly id: RunId;
  /** 128 + n for signal n. */
  readonly exitCode: number;
  readonly signal?: number;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly isOutOfMemory?: boolean;
  /** How it ended is not known: it vanished together with whoever watched it. */
  readonly isLost?: boolean;
  /** It could not begin after all: what was in the way. */
  readonly problem?: string;
}

/** A run that could not begin: no such command, no permission, no such directory. */
export class RunRefused extends Error {
  constructor(
    /** As a container's terminated state has it: 127, 126 or 128. */
    readonly exitCode: number,
    /** "StartError" */
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "RunRefused";
  }
}

/** A run that cannot begin yet: what its container waits for, and when to ask again. */
export class RunDelayed extends Error {
  constructor(
    /** "ImagePullBackOff" */
    readonly reason: string,
    /** Empty: it waits like one that was not tried yet. */
    message: string,
    readonly againInMs: number,
  ) {
    super(message);
    this.name = "RunDelayed";
  }
}

export type StopSignal = "TERM" | "KILL" | "INT" | "QUIT" | "HUP" | "USR1" | "USR2";

export interface Runtime {
  readonly name: string;
  /** Resolves when the process runs; rejects with RunRefused or RunDelayed when it cannot. */
  start(request: RunRequest): Promise<Running>;
  /** To the whole process tree. A run that is over is no error. */
  signal(id: RunId, signal: StopSignal): Promise<void>;
  /**
   * Resolves with its exit code; rejects with RunRefused when it cannot begin. It ends with its run
   * at the latest, and is remembered as long as that.
   */
  exec(request: ExecRequest, signal: AbortSignal): Promise<number>;
  /** What exec would run, in the run's namespaces where it has its own. */
  beside?(request: ExecRequest): Promise<CommandBeside> | undefined;
  /** What a command is to be started by to be in the network of the run, where that is its own. */
  inNetwork?(id: RunId): readonly string[] | undefined;
  /** Of a run whose runtime opens streams itself. */
  streams?(id: RunId): RunStreams | undefined;
  /** What runs, and what ended and was not forgotten, when an agent starts. */
  recover(): Promise<{ readonly running: readonly Running[]; readonly ended: readonly Exit[] }>;
  onExit(listener: (exit: Exit) => void): Closable;
  /** Its end is on record elsewhere: what was kept of the run may go. Its log stays. */
  forget(id: RunId): void;
  /** Nothing more is started for the pod: what its containers shared may go. */
  leave?(podUid: string): void;
  /** The pod is over: what its runs shared may go. */
  release?(podUid: string): void;
  close(options: { readonly leavesRunning: boolean }): Promise<void>;
}
