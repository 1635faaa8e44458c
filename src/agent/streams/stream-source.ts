/**
 * Answers the API server's requests for streams on this node: commands beside containers, their
 * own inputs and outputs, and connections to their ports. The words are kubelet's.
 */
import { connect as connectTo, type Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import type { Pod } from "../../api/generated/core.ts";
import {
  type AttachRequest,
  type CommandStream,
  type ExecRequest,
  StreamRefused,
  type StreamSource,
} from "../../api/stream-source.ts";
import type { LogStore } from "../logs/log-store.ts";
import type { ContainerNow } from "../running-agent.ts";
import type { RunId, Runtime } from "../runtimes/runtime.ts";
import { formatRunName } from "../spawner/protocol.ts";
import { commandStream } from "./command-stream.ts";
import { dialInside } from "./dial-inside.ts";
import type { StreamsChild } from "./streams-child.ts";

export interface StreamSourceOptions {
  readonly find: (pod: Pod, container: string) => ContainerNow | undefined;
  readonly runtime: Pick<Runtime, "beside" | "inNetwork" | "streams">;
  readonly logs: Pick<LogStore, "read" | "bytesOf">;
  readonly child: StreamsChild;
}

export function streamSource(options: StreamSourceOptions): StreamSource {
  return {
    exec: (pod, request) => exec(options, pod, request),
    attach: (pod, request) => attach(options, pod, request),
    connect: (pod, port) => connect(options, pod, port),
  };
}

async function exec(
  options: StreamSourceOptions,
  pod: Pod,
  request: ExecRequest,
): Promise<CommandStream> {
  const { runtime, child } = options;
  const { now, of } = findRunning(options, pod, request.container);
  const around = now.surroundings();
  if ("problem" in around) throw new StreamRefused(around.problem.message);
  const { environment, workingDirectory } = around;
  const wanted = {
    of,
    name: "exec",
    command: request.command,
    environment,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  };
  const own = runtime.streams?.(of);
  if (own) return own.exec(wanted, request);
  const beside = await runtime.beside?.(wanted);
  if (!beside) throw new StreamRefused("the runtime of the container executes no commands");
  const { stdin, tty } = request;
  return commandStream(await child.open({ order: "exec", ...beside, stdin, tty }), request);
}

async function attach(
  options: StreamSourceOptions,
  pod: Pod,
  request: AttachRequest,
): Promise<CommandStream> {
  const { child, logs } = options;
  const { now, of } = findRunning(options, pod, request.container);
  const { stdin: hasInput = false, tty: hasTerminal = false } = now.container;
  const run = formatRunName(of);
  const stdin = request.stdin && (hasInput || hasTerminal);
  const own = options.runtime.streams?.(of);
  if (own) return own.attach({ ...request, stdin, tty: hasTerminal });
  if (hasTerminal) {
    return commandStream(await child.open({ order: "attach", run, stdin, tty: true }), {
      ...request,
      stdin,
    });
  }
  const leaving = new AbortController();
  // Of now: what is typed in a moment is answered before anybody reads.
  const shown = { follow: true, fromByte: logs.bytesOf(pod, of) };
  const printed = () => Readable.from(logs.read(pod, of, shown, leaving.signal));
  // Both outputs are in one log.
  const outputs = request.stdout
    ? { stdout: printed() }
    : request.stderr
      ? { stderr: printed() }
      : {};
  const input =
    stdin && commandStream(await child.open({ order: "attach", run, stdin, tty: false }), INPUT);
  return {
    ...(input && input.stdin !== undefined ? { stdin: input.stdin } : {}),
    ...outputs,
    resize: () => {},
    ended: untilOver([outputs.stdout ?? outputs.stderr, input || undefined], leaving.signal),
    close: () => {
      leaving.abort();
      if (input) input.close();
    },
  };
}

const INPUT = { stdin: true, stdout: false, stderr: false };

/** With an output it is over when that is; else when the container has no more use for input. */
async function untilOver(
  [output, input]: readonly [Readable | undefined, CommandStream | undefined],
  leaving: AbortSignal,
): Promise<Record<string, never>> {
  if (output) await new Promise<void>((resolve) => output.once("close", resolve));
  else if (input) await input.ended;
  else await new Promise<void>((resolve) => leaving.addEventListener("abort", () => resolve()));
  return {};
}

function findRunning(
  { find }: StreamSourceOptions,
  pod: Pod,
  container: string,
): { readonly now: ContainerNow; readonly of: RunId } {
  const now = find(pod, container);
  if (now?.running) return { now, of: now.running };
  if (now?.hasEnded) throw new StreamRefused("container is in CONTAINER_EXITED state");
  throw new StreamRefused(`container not found (${JSON.stringify(container)})`);
}

/**
 * A process without a network of its own may listen on that of its host, and one with it where only
 * itself can connect to.
 */
async function connect(options: StreamSourceOptions, pod: Pod, port: number): Promise<Duplex> {
  const { find, runtime, child } = options;
  const [first] = pod.spec.containers ?? [];
  const { podIp = LOOPBACK, running } = (first && find(pod, first.name)) ?? {};
  const problems: string[] = [];
  for (const host of new Set([podIp, ...(podIp.startsWith("127.") ? [LOOPBACK] : [])])) {
    try {
      return await dial(host, port);
    } catch (error) {
      problems.push(`dial tcp4 ${host}:${port}: connect: ${describeRefusal(error)}`);
    }
  }
  const enter = running && !podIp.startsWith("127.") && runtime.inNetwork?.(running);
  if (enter) {
    const inside = await dialInside(child, { enter, run: formatRunName(running), port });
    if ("connection" in inside) return inside.connection;
    problems.push(`dial tcp4 ${LOOPBACK}:${port}: connect: ${describeRefusal(inside.error)}`);
  }
  throw new Error(`failed to connect to localhost:${port}: ${problems.join(", ")}`);
}

const LOOPBACK = "127.0.0.1";

/** In the words of Go. */
function describeRefusal(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return REFUSALS[code] ?? message;
}

const REFUSALS: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};

function dial(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Each half ends by itself.
    const socket = connectTo({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
