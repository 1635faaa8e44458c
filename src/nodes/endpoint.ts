/**
 * The HTTPS endpoint of an agent on another machine than its server: logs, commands and ports of
 * its pods. Only the server may use it; it must present a certificate of the cluster's authority.
 *
 * Logs use the kubelet's protocol, so that any API server can read them. Commands and ports use
 * Tally's own: see frames.ts and serve-command.ts. The client side is remote-node.ts.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { ApiError } from "../api/errors.ts";
import type { Pod } from "../api/generated/core.ts";
import type { LogRequest, LogSource } from "../api/log-source.ts";
import type { AttachRequest, StreamSource } from "../api/stream-source.ts";
import type { Log } from "../base/log.ts";
import { serveCommand } from "./serve-command.ts";

export interface EndpointOptions {
  readonly address: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string };
  /** PEM. Clients need a certificate of this authority that names a server. */
  readonly clientAuthority: string;
  readonly logs: LogSource;
  readonly streams: StreamSource;
  /** Finds a pod of this node; undefined if there is no such pod. */
  readonly findPod: (place: PodPlace) => Promise<Pod | undefined>;
  readonly log: Log;
}

export interface PodPlace {
  readonly namespace: string;
  readonly name: string;
  /** "" matches any pod of that name. */
  readonly uid: string;
}

export interface Endpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** The protocol of the connection after a command or a port is opened. */
export const UPGRADE = "tally-stream";

const MAX_CONNECTIONS = 1024;

export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { address, port, tls, clientAuthority, log } = options;
  const secure: ServerOptions = {
    ...tls,
    ca: clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const server = createServer(secure, (request, response) => {
    if (!isServer(request)) return refuse(response, FORBIDDEN);
    serveLog(options, request, response).catch((error: unknown) => fail(response, error, log));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("upgrade", (request, socket: Socket, head) => {
    socket.on("error", () => socket.destroy());
    if (!isServer(request)) return void socket.end(statusText(FORBIDDEN));
    if (head.length > 0) socket.unshift(head);
    serveUpgrade(options, request, socket).catch((error: unknown) => {
      socket.end(statusText(asApiError(error)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as { readonly port: number }).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

const FORBIDDEN = new ApiError(403, "Forbidden", "only the API server may ask this");

/** The names of servers: ours, and the one that kube-apiserver uses by convention. */
const SERVERS: ReadonlySet<string> = new Set(["tally", "kube-apiserver-kubelet-client"]);

/** Checks the name, because the authority also signs the certificates of users. */
function isServer({ socket }: IncomingMessage): boolean {
  // Null after the connection is closed, although the types do not say so.
  const certificate: PeerCertificate | null = (socket as TLSSocket).getPeerCertificate();
  const { CN, O } = certificate?.subject ?? {};
  const organizations = [O ?? []].flat();
  return SERVERS.has([CN ?? []].flat()[0] ?? "") || organizations.includes("system:masters");
}

async function serveLog(
  options: EndpointOptions,
  { url = "", method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(url, "https://node");
  if (method === "GET" && pathname === "/healthz") return void response.end("ok");
  const [, kind, namespace = "", name = "", container = "", ...more] = pathname.split("/");
  if (method !== "GET" || kind !== "containerLogs" || more.length > 0) {
    return refuse(response, new ApiError(404, "NotFound", "there is no such path"));
  }
  const pod = await getPod(options, { namespace, name, uid: searchParams.get("uid") ?? "" });
  const ending = new AbortController();
  response.on("close", () => ending.abort());
  const request = { ...logRequestOf(searchParams), container };
  const bytes = await options.logs.open(pod, request, ending.signal);
  response.writeHead(200, { "Content-Type": "text/plain" });
  response.flushHeaders();
  for await (const piece of bytes) {
    if (response.write(piece)) continue;
    await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    if (response.destroyed) return;
  }
  response.end();
}

function logRequestOf(query: URLSearchParams): Omit<LogRequest, "container"> {
  const number = <Key extends string>(key: Key) => {
    const text = query.get(key);
    return (text === null ? {} : { [key]: Number(text) }) as { [K in Key]?: number };
  };
  const sinceTime = query.get("sinceTime");
  return {
    follow: query.get("follow") === "true",
    previous: query.get("previous") === "true",
    timestamps: query.get("timestamps") === "true",
    ...number("sinceSeconds"),
    ...number("tailLines"),
    ...number("limitBytes"),
    ...(sinceTime === null ? {} : { sinceMs: Date.parse(sinceTime) }),
  };
}

async function serveUpgrade(
  options: EndpointOptions,
  { url = "", headers }: IncomingMessage,
  socket: Socket,
): Promise<void> {
  const { pathname, searchParams } = new URL(url, "https://node");
  const [, kind, namespace = "", name = "", container = ""] = pathname.split("/");
  const isKnown = kind === "exec" || kind === "attach" || kind === "portForward";
  if (headers.upgrade !== UPGRADE || !isKnown) {
    throw new ApiError(400, "BadRequest", `the node speaks ${UPGRADE} and nothing else`);
  }
  const { streams } = options;
  const pod = await getPod(options, { namespace, name, uid: searchParams.get("uid") ?? "" });
  if (kind === "portForward") {
    const connection = await streams.connect(pod, Number(searchParams.get("port")));
    socket.write(SWITCHING);
    socket.pipe(connection).pipe(socket);
    connection.on("error", () => socket.destroy());
    socket.on("close", () => connection.destroy());
    return;
  }
  const request = commandRequestOf(searchParams, container);
  const command = searchParams.getAll("command");
  const stream = await (kind === "exec"
    ? streams.exec(pod, { ...request, command })
    : streams.attach(pod, request));
  socket.write(SWITCHING);
  serveCommand(socket, stream);
}

const SWITCHING = [
  "HTTP/1.1 101 Switching Protocols",
  "Connection: Upgrade",
  `Upgrade: ${UPGRADE}`,
  "\r\n",
].join("\r\n");

function commandRequestOf(query: URLSearchParams, container: string): AttachRequest {
  const is = (key: string) => query.get(key) === "true";
  return {
    container,
    stdin: is("stdin"),
    stdout: is("stdout"),
    stderr: is("stderr"),
    tty: is("tty"),
  };
}

async function getPod({ findPod }: EndpointOptions, place: PodPlace): Promise<Pod> {
  const pod = await findPod(place);
  if (pod) return pod;
  const message = `pod "${place.namespace}/${place.name}" is not on this node`;
  throw new ApiError(404, "NotFound", message);
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  if (response.headersSent) {
    log.warn("an answer to the server was cut off", { error });
    response.destroy();
    return;
  }
  refuse(response, asApiError(error));
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(500, "InternalError", message);
}

function refuse(response: ServerResponse, { code, reason, message }: ApiError): void {
  response.writeHead(code, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ code, reason, message }));
}

function statusText({ code, reason, message }: ApiError): string {
  const body = JSON.stringify({ code, reason, message });
  const length = Buffer.byteLength(body);
  const headers = `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
  return `HTTP/1.1 ${code} ${reason}\r\n${headers}Connection: close\r\n\r\n${body}`;
}
