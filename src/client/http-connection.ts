/** Sends requests to one server, over connections that are kept for the next ones. */
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
  /** "https://10.0.0.1:6443", with a path where the API is not at the root. */
  readonly server: string;
  /** A Unix socket to reach it by, in place of the host and port of its address. */
  readonly socketPath?: string;
  /** A bearer token. */
  readonly token?: string;
  /** Of the client, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The authority that the server's certificate must be of, in PEM; else those of the system. */
  readonly ca?: string;
  /** The name that the server's certificate must have; else that of the address. */
  readonly serverName?: string;
  /** Whoever answers is taken for the server. */
  readonly skipsVerification?: boolean;
  readonly userAgent?: string;
  /** A proxy to go through: http, https or socks5. */
  readonly proxyUrl?: string;
  /** More that each request says, such as on whose behalf it is made. */
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  /** How long an answer may take; a minute unless this says otherwise. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
  /** What the server warns of. */
  readonly warnings: readonly string[];
  /** The media type, with its parameters. */
  readonly contentType?: string;
  /** All of the text at once, at less cost than piece by piece. */
  readonly whole?: () => Promise<string>;
  /** The text as it arrives. */
  readonly pieces: AsyncIterable<string>;
  /** In place of the text, for what need not be text. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Connection {
  /** Whatever the server answers is an answer: it rejects only where there is none. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** For an answer that goes on until the signal or the server ends it. */
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
/** Servers close idle connections after 90 s or later: a request must not meet one that closes. */
const IDLE_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** How soon a connection that says nothing is asked whether it is still there. */
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

/** Streams have connections of their own: they would keep requests from having any. */
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
  /** Of an answer that goes on: it may be silent once it has begun. */
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

/** Kubernetes says it in seconds; a date, which HTTP allows too, nobody sends. */
function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const text = headers["retry-after"];
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

/** 299 - "spec.x: deprecated": Node would join several into one text that cannot be taken apart. */
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
