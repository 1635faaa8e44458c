/** How the server reaches the running containers of a pod, wherever they are. */
import type { Duplex, Readable, Writable } from "node:stream";
import type { Pod } from "./generated/core.ts";

export interface StreamSource {
  /** Starts a process in the container. Rejects with StreamRefused if that is not possible. */
  exec(pod: Pod, request: ExecRequest): Promise<CommandStream>;
  /** Attaches to the container's own process. */
  attach(pod: Pod, request: AttachRequest): Promise<CommandStream>;
  /** Connects to a port of the pod. Rejects with the kubelet's message. */
  connect(pod: Pod, port: number): Promise<Duplex>;
}

/** Validated PodAttachOptions. */
export interface AttachRequest {
  /** One of the pod's containers. */
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** Never set together with tty. */
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

/** A stream is present only if it was requested. */
export interface CommandStream {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  resize(size: TerminalSize): void;
  /** Resolves at the end: how the process ended, or why it never started. */
  readonly ended: Promise<CommandEnd>;
  /** Call it when the client is gone. */
  close(): void;
}

/** Without an exit code the process continues, and only the client detached. */
export type CommandEnd =
  | { readonly exitCode?: number; readonly problem?: undefined }
  | { readonly problem: string };

/** Reported as plain text before any stream is opened. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}
