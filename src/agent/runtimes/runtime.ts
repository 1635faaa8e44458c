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
  /** Where stderr goes instead, of a pod that wants its outputs apart. */
  readonly errorFile?: string;
  /** What the process writes here, under the name its runtime gives it, is told of its end. */
  readonly messageFile?: string;
  readonly limits?: { readonly cpuMillis?: number; readonly memoryBytes?: number };
}

/** A command beside a run, in the same surroundings. What it prints is nobody's. */
export interface ExecRequest {
  readonly of: RunId;
  /** "postStart": asked for again, be it by another server, it is the same one. */
  readonly name: string;
  /** Never empty. */
  readonly command: readonly string[];
  readonly environment: RunRequest["environment"];
  readonly workingDirectory?: string;
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

export type StopSignal = "TERM" | "KILL" | "INT" | "QUIT" | "HUP" | "USR1" | "USR2";

export interface Runtime {
  readonly name: string;
  /** Resolves when the process runs; rejects with RunRefused when it cannot. */
  start(request: RunRequest): Promise<Running>;
  /** To the whole process tree. A run that is over is no error. */
  signal(id: RunId, signal: StopSignal): Promise<void>;
  /**
   * Resolves with its exit code; rejects with RunRefused when it cannot begin. It ends with its run
   * at the latest, and is remembered as long as that.
   */
  exec(request: ExecRequest, signal: AbortSignal): Promise<number>;
  /** What runs, and what ended and was not forgotten, when an agent starts. */
  recover(): Promise<{ readonly running: readonly Running[]; readonly ended: readonly Exit[] }>;
  onExit(listener: (exit: Exit) => void): Closable;
  /** Its end is on record elsewhere: what was kept of the run may go. Its log stays. */
  forget(id: RunId): void;
  close(options: { readonly leavesRunning: boolean }): Promise<void>;
}
