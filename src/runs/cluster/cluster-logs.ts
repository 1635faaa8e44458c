/**
 * What items on a cluster printed: the logs of their pods. A cluster keeps one log for both streams
 * of a container; all of it counts as stdout.
 */
import { ApiError } from "../../api/errors.ts";
import { pods } from "../../api/resources.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import { errorOf } from "../../client/http-errors.ts";
import { objectPath, query } from "../../client/http-requests.ts";
import type { AttemptContainer, PodIdentity } from "../follow/attempt.ts";
import type { AttemptLog, AttemptLogs, LogStream, WriteBytes } from "../show/attempt-logs.ts";

interface ContainerLog {
  readonly pod: Pick<PodIdentity, "namespace" | "name">;
  readonly container: string;
  readonly isFollowing?: boolean;
  readonly tailLines?: number | undefined;
}

/** Rejects with an ApiError if the pod, or its node, is gone. */
async function openLog(
  connection: Connection,
  { pod, container, isFollowing, tailLines }: ContainerLog,
  signal: AbortSignal = new AbortController().signal,
): Promise<AsyncIterable<Uint8Array>> {
  const parameters = query({ container, ...(isFollowing ? { follow: "true" } : {}), tailLines });
  const path = `${objectPath(pods, pod, "log")}${parameters}`;
  const request = { method: "GET", path, accept: "application/json, */*" } as const;
  const answer = isFollowing
    ? await connection.stream(request, signal)
    : await connection.send(request);
  if (answer.status === 200) return answer.bytes;
  throw errorOf(answer.status, await wholeText(answer));
}

/** How often the tail of a growing log is requested, and how many requests run at once. */
const TAIL_EVERY_MS = 2_000;
const TAILS_AT_ONCE = 4;
const TAIL_LINES = 50;
const KEPT_TAILS = 200;

export interface ClusterLogsOptions {
  readonly connection: Connection;
  readonly nowMs: () => number;
  /** Called if a log cannot be read. */
  readonly warn: (text: string) => void;
}

export function clusterLogs(options: ClusterLogsOptions): AttemptLogs {
  const tails = new GrowingTails(options);
  return {
    filesOf: () => undefined,
    open: ({ pod, containers }) =>
      containers.map(({ container }) => containerLog(options.connection, { pod, container })),
    streamsOf: ({ pod, containers }) =>
      containers.map((run): LogStream => {
        const log = { pod, container: run.container };
        return {
          isError: false,
          readShort: () => undefined,
          copy: (write) => copyLog(options, log, write),
          readEnd: (bytes) => readEnd(options, log, bytes),
          peek: (bytes) => tails.peek(pod, run).subarray(-bytes),
        };
      }),
  };
}

function containerLog(connection: Connection, log: ContainerLog): AttemptLog {
  return {
    copy: (write, tailLines) => copyIfThere(connection, { ...log, tailLines }, write),
    grow: (tailLines) => {
      let isCopied = false;
      return {
        // The first call follows the log to its end. Further calls have nothing to add.
        copyTo: async (write) => {
          const followed = { ...log, isFollowing: true, tailLines };
          if (!isCopied) isCopied = await copyIfThere(connection, followed, write);
        },
      };
    },
  };
}

/** False if the pod is gone, or has not started. */
async function copyIfThere(
  connection: Connection,
  log: ContainerLog,
  write: WriteBytes,
): Promise<boolean> {
  try {
    for await (const piece of await openLog(connection, log)) await write(piece);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 400)) return false;
    throw error;
  }
}

/** The run continues if the output of one item cannot be shown. */
async function copyLog(
  { connection, warn }: ClusterLogsOptions,
  log: ContainerLog,
  write: WriteBytes,
): Promise<void> {
  try {
    for await (const piece of await openLog(connection, log)) await write(piece);
  } catch (error) {
    warn(`the output of ${log.pod.name} cannot be read: ${reasonOf(error)}`);
  }
}

async function readEnd(
  options: ClusterLogsOptions,
  log: ContainerLog,
  bytes: number,
): Promise<Buffer> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  await copyLog(options, log, async (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < bytes * 2) return;
    pieces = [Buffer.concat(pieces).subarray(-bytes)];
    size = bytes;
  });
  return Buffer.concat(pieces).subarray(-bytes);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Tail {
  text: Buffer;
  askedMs: number;
}

const NOTHING = Buffer.alloc(0);

class GrowingTails {
  private readonly tails = new Map<string, Tail>();
  private asked = 0;

  constructor(private readonly options: ClusterLogsOptions) {}

  peek(pod: PodIdentity, { container }: AttemptContainer): Buffer {
    const key = `${pod.uid}/${container}`;
    const tail = this.tails.get(key) ?? { text: NOTHING, askedMs: Number.NEGATIVE_INFINITY };
    this.tails.set(key, tail);
    for (const oldest of this.tails.keys()) {
      if (this.tails.size <= KEPT_TAILS) break;
      this.tails.delete(oldest);
    }
    const nowMs = this.options.nowMs();
    if (nowMs - tail.askedMs >= TAIL_EVERY_MS && this.asked < TAILS_AT_ONCE) {
      tail.askedMs = nowMs;
      this.asked++;
      this.refresh(tail, { pod, container }).finally(() => this.asked--);
    }
    return tail.text;
  }

  private async refresh(tail: Tail, log: ContainerLog): Promise<void> {
    try {
      const pieces: Uint8Array[] = [];
      const asked = { ...log, tailLines: TAIL_LINES };
      for await (const piece of await openLog(this.options.connection, asked)) pieces.push(piece);
      tail.text = Buffer.concat(pieces);
    } catch {
      // The container has not started, or its pod is gone.
    }
  }
}
