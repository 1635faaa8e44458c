/**
 * Pure: what the server and the spawner say to each other, one JSON text per line. Either side
 * gathers what it has to say in a turn of its loop and writes it at once.
 */
import type { Mount, RunId, Sandbox, StopSignal } from "../runtimes/runtime.ts";

/** "POD_UID/CONTAINER/ATTEMPT": also what marks the processes of a run. */
export type RunName = string;

/** Said to a spawner that starts: it keeps no limits. */
export const NO_CGROUPS = "no-cgroups";

export type Order =
  /** The first word. A spawner of another version retires: its runs go on, the next adopts them. */
  | { readonly order: "greet"; readonly version: string }
  | StartOrder
  | { readonly order: "signal"; readonly run: RunName; readonly signal: StopSignal }
  | { readonly order: "forget"; readonly run: RunName }
  /** Another process is about to start a command beside the run, which is to end with it. */
  | { readonly order: "accompany"; readonly run: RunName }
  /** Nothing more is started for the pod: what its containers shared may go. */
  | { readonly order: "leave"; readonly pod: string }
  /** Everything known, as one answer. */
  | { readonly order: "tell" }
  | { readonly order: "close"; readonly leavesRunning: boolean };

export interface StartOrder {
  readonly order: "start";
  readonly run: RunName;
  readonly command: readonly string[];
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly directory: string;
  readonly logFile: string;
  /** Of what it writes to stderr; absent: that goes to the log, too. */
  readonly errorFile?: string;
  /** What it reads; absent: nothing. */
  readonly stdinFile?: string;
  /** It has this terminal in place of its input and its outputs. */
  readonly terminal?: { readonly path: string; readonly setsid: string };
  readonly limits?: Limits;
  /** Absent: as the spawner has them. */
  readonly settings?: OrderedSettings;
  /** Beside that run: its processes are those of that one, and end with it. */
  readonly beside?: RunName;
  /** Absent: on the host itself. */
  readonly sandbox?: SandboxOrder;
  /** Kept on record with the run; the spawner does not read it. */
  readonly place?: string;
}

export interface OrderedSettings {
  /** Octal. */
  readonly umask: string;
  /** As base/process-limits.ts writes them. */
  readonly limits: string;
}

export interface SandboxOrder extends Sandbox {
  readonly mounts: readonly Mount[];
  /** What the container writes at `messagePath` ends up in this file. */
  readonly messageFile?: string;
}

export interface Limits {
  readonly cpuMillis?: number;
  readonly memoryBytes?: number;
}

export type News =
  | { readonly news: "greeting"; readonly version: string; readonly can: Capabilities }
  | { readonly news: "retiring" }
  /** Perhaps with less than was asked for: the limits that could not be had. */
  | ({ readonly news: "started"; readonly unmet?: readonly string[] } & RunningRun)
  | ({ readonly news: "refused"; readonly run: RunName } & Refusal)
  | ({ readonly news: "ended" } & EndedRun)
  | { readonly news: "signalled"; readonly run: RunName; readonly signal: StopSignal }
  | {
      readonly news: "all";
      readonly running: readonly RunningRun[];
      readonly ended: readonly EndedRun[];
    }
  /** Pods reach nothing beyond this machine, and why. */
  | { readonly news: "noWayOut"; readonly problem: string }
  | { readonly news: "closed" };

export interface RunningRun {
  readonly run: RunName;
  readonly pid: number;
  readonly startedMs: number;
  readonly isSandboxed?: boolean;
  readonly place?: string;
}

export interface EndedRun {
  readonly run: RunName;
  readonly exitCode: number;
  readonly signal?: number;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly isOutOfMemory?: boolean;
  readonly isLost?: boolean;
  /** Told of runs on record. */
  readonly isSandboxed?: boolean;
  /** It could not begin after all: what was in the way. Not on record. */
  readonly problem?: string;
}

export interface Refusal {
  readonly exitCode: number;
  readonly message: string;
}

/** Which limits of a run are more than words on this machine. */
export interface Capabilities {
  readonly enforcesMemory: boolean;
  readonly enforcesCpu: boolean;
  readonly sandbox: SandboxAbilities;
}

/** What a sandbox can be here, or why there is none. */
export interface SandboxAbilities {
  /** Why there is none. */
  readonly problem?: string;
  /** Each has a network of its own. */
  readonly hasNetwork: boolean;
  /** Why such a network ends at this machine; absent: it does not. */
  readonly noWayOut?: string;
  /** Its processes can be of any user: the server is root. */
  readonly hasUsers: boolean;
}

export function formatRunName({ podUid, container, attempt }: RunId): RunName {
  return `${escapePart(podUid)}/${escapePart(container)}/${attempt}`;
}

export function parseRunName(name: RunName): RunId {
  const [podUid = "", container = "", attempt = "0"] = name.split("/");
  return {
    podUid: decodeURIComponent(podUid),
    container: decodeURIComponent(container),
    attempt: Number(attempt),
  };
}

/** The name stands in records and in environments, between blanks and slashes. */
function escapePart(part: string): string {
  return PLAIN_PART.test(part) ? part : encodeURIComponent(part);
}

const PLAIN_PART = /^[a-zA-Z0-9._-]*$/;

/** Cuts what arrives into lines; the last, unfinished one is kept for the next piece. */
export function splitLines(kept: string, piece: string): { lines: string[]; rest: string } {
  const lines = (kept + piece).split("\n");
  const rest = lines.pop() ?? "";
  return { lines, rest };
}
