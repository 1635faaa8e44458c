/** Sends requests to one server and keeps connections open for the next requests. */
import {
  type AgentOptions,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { ConnectionLost } from "./connection-lost.ts";
import type { HttpBody, HttpRequest } from "./http-requests.ts";
import { ProxiedHttpAgent, ProxiedHttpsAgent } from "./proxied-agents.ts";

export interface ConnectionOptions {
  /** "https://10.0.0.1:6443", with a path if the API is not at the root. */
  readonly server: string;
  /** Connect to this Unix socket instead of the host and port of `server`. */
  readonly socketPath?: string;
  /** A bearer token. */
  readonly token?: string;
  /** The client certificate, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The CA that must have signed the server's certificate, in PEM; by default the system's CAs. */
  readonly ca?: string;
  /** The name that the server's certificate must have; by default the host of `server`. */
  readonly serverName?: string;
  /** Do not verify the server's certificate. */
  readonly skipsVerification?: boolean;
  readonly userAgent?: string;
  /** The proxy to use: http, https or socks5. */
  readonly proxyUrl?: string;
  /** Additional headers for each request, for example to impersonate a user. */
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  /** How long to wait for an answer; by default one minute. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The Retry-After that the server sent. */
  readonly retryAfterMs?: number;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
  /** The media type, with its parameters. */
  readonly contentType?: string;
  /** Reads the whole text at once, which is cheaper than reading it in pieces. */
  readonly whole?: () => Promise<string>;
  /** The text as it arrives. */
  readonly pieces: AsyncIterable<string>;
  /** The body as bytes; read either this or the text. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Connection {
  /** Resolves with any answer of the server, whatever its status; rejects only if there is none. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** For an answer that continues until the signal aborts it or the server ends it. */
  stream(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

export async function wholeText({ whole, pieces }: HttpAnswer): Promise<string> {
  if (whole) return whole();
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join("");
}

export async function wholeBytes({ bytes }: HttpAnswer): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of bytes) all.push(piece);
  const [only] = all;
  return all.length === 1 && only ? only : Buffer.concat(all);
}

const MAX_CONNECTIONS = 32;
/**
 * Servers close idle connections after 90 s or more. Closing them earlier here avoids sending a
 * request on a connection that the server is just closing.
 */
const IDLE_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** The TCP keep-alive interval, after which a silent connection is probed. */
const PROBE_MS = 30_000;

export function connect(options: ConnectionOptions): Connection {
  const agents = agentsOf(options);
  const open = opener(options);
  const { timeoutMs = ANSWER_TIMEOUT_MS } = options;
  return {
    send: (request) => open(request, { agent: agents.requests, timeoutMs }),
    stream: (request, signal) => open(request, { agent: agents.streams, timeoutMs, signal }),
    close: () => {
      agents.requests.destroy();
      agents.streams.destroy();
    },
  };
}

/** Streams use separate connections; otherwise they would take all connections from requests. */
function agentsOf(options: ConnectionOptions) {
  const { proxyUrl } = options;
  const requests = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS };
  if (!isSecure(options.server)) {
    const plain = (manner: AgentOptions) =>
      proxyUrl === undefined ? new HttpAgent(manner) : new ProxiedHttpAgent(proxyUrl, manner);
    return { requests: plain(requests), streams: plain({}) };
  }
  const identity = identityOf(options);
  const secure = (manner: AgentOptions) =>
    proxyUrl === undefined
      ? new HttpsAgent({ ...manner, ...identity })
      : new ProxiedHttpsAgent(proxyUrl, { ...manner, ...identity });
  return { requests: secure(requests), streams: secure({}) };
}

function identityOf({ certificate, ca, serverName, skipsVerification }: ConnectionOptions) {
  return {
    ...certificate,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(skipsVerification ? { rejectUnauthorized: false } : {}),
  };
}

function isSecure(server: string): boolean {
  return new URL(server).protocol === "https:";
}

interface Opening {
  readonly agent: HttpAgent;
  readonly timeoutMs: number;
  /** Set for a streamed answer, which may be silent for any time after its headers. */
  readonly signal?: AbortSignal;
}

function opener(options: ConnectionOptions) {
  const { socketPath } = options;
  const url = new URL(options.server);
  const { hostname, port } = urlToHttpOptions(url);
  const prefix = url.pathname.replace(/\/+$/, "");
  const begin = isSecure(options.server) ? httpsRequest : httpRequest;
  return (request: HttpRequest, { agent, timeoutMs, signal }: Opening): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const { method } = request;
      const sent = begin({
        ...(socketPath === undefined ? { hostname, port } : { socketPath, hostname }),
        method,
        path: `${prefix}${request.path}`,
        headers: headersOf(options, request),
        agent,
        ...(signal ? { signal } : {}),
      });
      sent.on("response", (answer) => {
        if (signal) sent.setTimeout(0);
        resolve(answerOf(request, answer));
      });
      sent.on("error", (cause) => reject(failure(request, cause)));
      sent.on("socket", (socket) => socket.setKeepAlive(true, PROBE_MS));
      sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer in ${timeoutMs} ms`)));
      sent.end(contentOf(request.body));
    });
}

function headersOf(
  { token, userAgent = "tally", headers = {} }: ConnectionOptions,
  { accept = "application/json", body }: HttpRequest,
) {
  return {
    ...headers,
    Accept: accept,
    "User-Agent": userAgent,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body ? { "Content-Type": body.contentType, "Content-Length": lengthOf(body) } : {}),
  };
}

function contentOf(body: HttpBody | undefined): string | Uint8Array | undefined {
  return body?.bytes ?? body?.text;
}

function lengthOf({ text, bytes }: HttpBody): number {
  return bytes ? bytes.length : Buffer.byteLength(text);
}

function answerOf(request: HttpRequest, message: IncomingMessage): HttpAnswer {
  const retryAfterMs = retryAfterOf(message);
  const { "content-type": contentType } = message.headers;
  return {
    status: message.statusCode ?? 0,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    warnings: warningsOf(message),
    ...(contentType === undefined ? {} : { contentType }),
    whole: () => wholeOf(request, message),
    pieces: piecesOf(request, message),
    bytes: bytesOf(request, message),
  };
}

/** In seconds, as Kubernetes sends it. The date form that HTTP also allows is not supported. */
function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const text = headers["retry-after"];
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

/**
 * 299 - "spec.x: deprecated". Read from rawHeaders, because Node joins several Warning headers into
 * one text that cannot be split reliably.
 */
function warningsOf({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.flatMap((name, at) => {
    if (at % 2 === 1 || name.toLowerCase() !== "warning") return [];
    const quoted = /^299 \S+ "((?:[^"\\]|\\.)*)"/.exec(rawHeaders[at + 1] ?? "")?.[1];
    return quoted === undefined ? [] : [quoted.replace(/\\(.)/g, "$1")];
  });
}

function wholeOf(request: HttpRequest, message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const all: Buffer[] = [];
    message.on("data", (piece: Buffer) => all.push(piece));
    message.on("end", () => {
      const [only] = all;
      resolve((all.length === 1 && only ? only : Buffer.concat(all)).toString("utf8"));
    });
    message.on("error", (cause) => reject(failure(request, cause)));
  });
}

async function* piecesOf(request: HttpRequest, message: IncomingMessage): AsyncIterable<string> {
  message.setEncoding("utf8");
  try {
    for await (const piece of message) yield piece as string;
  } catch (cause) {
    throw failure(request, cause);
  }
}

async function* bytesOf(request: HttpRequest, message: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of message) yield piece as Uint8Array;
  } catch (cause) {
    throw failure(request, cause);
  }
}

function failure({ method, path }: HttpRequest, cause: unknown): ConnectionLost {
  return new ConnectionLost(`${method} ${path.split("?")[0]}`, { cause });
}
