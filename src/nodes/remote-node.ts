/** The client side of an agent in another process, used by the server. See endpoint.ts. */
import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../api/errors.ts";
import type { Node, Pod } from "../api/generated/core.ts";
import type { LogRequest, LogSource } from "../api/log-source.ts";
import type { AttachRequest, StreamSource } from "../api/stream-source.ts";
import { formatTime } from "../api/time.ts";
import { UPGRADE } from "./endpoint.ts";
import { remoteCommand } from "./remote-command.ts";

/**
 * Annotation: the authority (PEM) of the agent's certificate, so that no other process can
 * impersonate the agent.
 */
export const NODE_AUTHORITY = "tallyjob.io/node-authority";

export interface ServerIdentity {
  /** PEM: the certificate by which the agent recognizes the server. */
  readonly cert: string;
  readonly key: string;
}

export interface RemoteNode {
  readonly logs: LogSource;
  readonly streams: StreamSource;
}

/** Undefined if the node does not report where its agent can be reached. */
export function findRemoteNode(node: Node, identity: ServerIdentity): RemoteNode | undefined {
  const ca = node.metadata.annotations?.[NODE_AUTHORITY];
  const port = node.status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  const host = node.status.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (ca === undefined || host === undefined || port === 0) return undefined;
  const { cert, key } = identity;
  const way: RequestOptions = { host, port, ca, cert, key, agent: false };
  return {
    logs: { open: (pod, request, signal) => openLog(way, pod, request, signal) },
    streams: {
      exec: async (pod, request) => {
        const query = commandQuery(pod, request);
        for (const word of request.command) query.append("command", word);
        const socket = await upgrade(way, pathOf("exec", pod, request.container), query);
        return remoteCommand(socket, request);
      },
      attach: async (pod, request) => {
        const query = commandQuery(pod, request);
        const socket = await upgrade(way, pathOf("attach", pod, request.container), query);
        return remoteCommand(socket, request);
      },
      connect: (pod, asked) => {
        const query = new URLSearchParams({ uid: pod.metadata.uid ?? "", port: String(asked) });
        return upgrade(way, pathOf("portForward", pod), query);
      },
    },
  };
}

function pathOf(kind: string, { metadata }: Pod, container?: string): string {
  const parts = [kind, metadata.namespace ?? "", metadata.name ?? ""];
  if (container !== undefined) parts.push(container);
  return `/${parts.map(encodeURIComponent).join("/")}`;
}

function commandQuery({ metadata }: Pod, request: AttachRequest): URLSearchParams {
  const { stdin, stdout, stderr, tty } = request;
  const query = new URLSearchParams({ uid: metadata.uid ?? "" });
  const flags = Object.entries({ stdin, stdout, stderr, tty });
  for (const [name, is] of flags) query.set(name, String(is));
  return query;
}

async function openLog(
  way: RequestOptions,
  pod: Pod,
  request: LogRequest,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { container, sinceMs, ...rest } = request;
  const query = new URLSearchParams({ uid: pod.metadata.uid ?? "" });
  for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  if (sinceMs !== undefined) query.set("sinceTime", formatTime(sinceMs));
  const path = `${pathOf("containerLogs", pod, container)}?${query}`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = httpsRequest({ ...way, path, signal });
    asked.on("response", resolve);
    asked.on("error", (cause) => reject(unreachable(pod, cause)));
    asked.end();
  });
  if (answer.statusCode !== 200) throw await refusalOf(answer);
  return answer;
}

function upgrade(way: RequestOptions, path: string, query: URLSearchParams): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { Connection: "Upgrade", Upgrade: UPGRADE };
    const asked = httpsRequest({ ...way, path: `${path}?${query}`, headers });
    asked.on("upgrade", (_answer, socket: Socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.on("response", (answer) => void refusalOf(answer).then(reject, reject));
    asked.on("error", reject);
    asked.end();
  });
}

function unreachable({ spec }: Pod, cause: Error): ApiError {
  const message = `the agent of node ${JSON.stringify(spec.nodeName)} cannot be reached`;
  return new ApiError(503, "ServiceUnavailable", `${message}: ${cause.message}`);
}

async function refusalOf(answer: IncomingMessage): Promise<ApiError> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const { code, reason, message } = parseRefusal(Buffer.concat(pieces).toString("utf8"));
  return new ApiError(code ?? answer.statusCode ?? 500, reason ?? "InternalError", message ?? "");
}

interface Refusal {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

function parseRefusal(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return { message: text };
  }
}
