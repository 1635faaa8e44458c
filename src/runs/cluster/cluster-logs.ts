/**
 * What tasks on a cluster wrote, as their pods' logs have it. A cluster keeps one log for both
 * streams of a container: all of it counts as stdout.
 */
import { pods } from "../../api/resources.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import { errorOf } from "../../client/http-errors.ts";
import { objectPath, query } from "../../client/http-requests.ts";
import type { ContainerRun, PodIdentity } from "../follow/attempt.ts";
import type { TaskLogs, TaskStream } from "../show/task-logs.ts";

export interface ContainerLog {
  readonly pod: Pick<PodIdentity, "namespace" | "name">;
  readonly container: string;
  readonly isFollowing?: boolean;
  readonly tailLines?: number | undefined;
}

/** Rejects with an ApiError where the pod, or its node, is gone. */
export async function openLog(
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

/** The tail of a log that grows is asked for no more often, and of so many at once. */
const TAIL_EVERY_MS = 2_000;
const TAILS_AT_ONCE = 4;
/** Lines of people are shorter than this on average. */
const TAIL_LINES = 50;
const KEPT_TAILS = 200;

export interface ClusterLogsOptions {
  readonly connection: Connection;
  readonly nowMs: () => number;
  /** What could not be had. */
  readonly complain: (text: string) => void;
}

export function clusterLogs(options: ClusterLogsOptions): TaskLogs {
  const tails = new GrowingTails(options);
  return {
    streamsOf: ({ pod, runs }) =>
      runs.map((run): TaskStream => {
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

/** A run does not end because the output of one item cannot be shown. */
async function copyLog(
  { connection, complain }: ClusterLogsOptions,
  log: ContainerLog,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  try {
    for await (const piece of await openLog(connection, log)) await write(piece);
  } catch (error) {
    complain(`the output of ${log.pod.name} cannot be had: ${reasonOf(error)}`);
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

  peek(pod: PodIdentity, { container }: ContainerRun): Buffer {
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
      // Not begun, or gone: there is nothing to be seen.
    }
  }
}
