/** How the server reaches the containers of a pod while they run, wherever that is. */
import type { Duplex, Readable, Writable } from "node:stream";
import type { Pod } from "./generated/core.ts";

export interface StreamSource {
  /** A process beside the container's own. Rejects with StreamRefused where there cannot be one. */
  exec(pod: Pod, request: ExecRequest): Promise<CommandStream>;
  /** The container's own process. */
  attach(pod: Pod, request: AttachRequest): Promise<CommandStream>;
  /** A connection to a port of the pod; rejects with kubelet's words. */
  connect(pod: Pod, port: number): Promise<Duplex>;
}

/** PodAttachOptions, once they are known to be valid. */
export interface AttachRequest {
  /** One of the pod's. */
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Never together with tty. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Each stream is there only where it was asked for. */
export interface CommandStream {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  resize(size: TerminalSize): void;
  /** When all is over: how the process ended, or why it never began. */
  readonly ended: Promise<CommandEnd>;
  /** Nobody listens any more. */
  close(): void;
}

/** Without an exit code it went on, and whoever was attached left it. */
export type CommandEnd =
  | { readonly exitCode?: number; readonly problem?: undefined }
  | { readonly problem: string };

/** Said before anything is opened, as plain text. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}
