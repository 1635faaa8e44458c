/**
 * What a node agent asks of whatever runs its containers: processes of the host, sandboxes, an
 * engine for images. A runtime knows no pods: it starts runs, signals them, and tells how they
 * ended, also those that ended while nobody was there to hear it.
 */
import type { Closable } from "../../api/client.ts";

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
  readonly limits?: { readonly cpuMillis?: number; readonly memoryBytes?: number };
}

export interface Running {
  readonly id: RunId;
  readonly pid: number;
  readonly startedMs: number;
}

export interface Exit {
  readonly id: RunId;
  /** 128 + n for signal n. */
  readonly exitCode: number;
  readonly signal?: number;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly isOutOfMemory?: boolean;
  /** How it ended is not known: it vanished together with whoever watched it. */
  readonly isLost?: boolean;
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

export type StopSignal = "TERM" | "KILL" | "INT" | "QUIT" | "HUP" | "USR1" | "USR2";

export interface Runtime {
  readonly name: string;
  /** Resolves when the process runs; rejects with RunRefused when it cannot. */
  start(request: RunRequest): Promise<Running>;
  /** To the whole process tree. A run that is over is no error. */
  signal(id: RunId, signal: StopSignal): Promise<void>;
  /** What runs, and what ended and was not forgotten, when an agent starts. */
  recover(): Promise<{ readonly running: readonly Running[]; readonly ended: readonly Exit[] }>;
  onExit(listener: (exit: Exit) => void): Closable;
  /** Its end is on record elsewhere: what was kept of the run may go. Its log stays. */
  forget(id: RunId): void;
  close(options: { readonly leavesRunning: boolean }): Promise<void>;
}
