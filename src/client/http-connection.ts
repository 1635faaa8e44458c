/** Sends requests to one server, over connections that are kept for the next ones. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import type { HttpRequest } from "./http-requests.ts";

export interface ConnectionOptions {
  /** "https://10.0.0.1:6443", with a path where the API is not at the root. */
  readonly server: string;
  /** A bearer token. */
  readonly token?: string;
  /** Of the client, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The authority that the server's certificate must be of, in PEM; else those of the system. */
  readonly ca?: string;
  readonly userAgent?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** The text as it arrives. */
  readonly pieces: AsyncIterable<string>;
}

export interface Connection {
  /** Whatever the server answers is an answer: it rejects only where there is none. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** For an answer that goes on until the signal or the server ends it. */
  stream(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

export async function wholeText({ pieces }: HttpAnswer): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join("");
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
  return {
    send: (request) => open(request, { agent: agents.requests, timeoutMs: ANSWER_TIMEOUT_MS }),
    stream: (request, signal) => open(request, { agent: agents.streams, signal }),
    close: () => {
      agents.requests.destroy();
      agents.streams.destroy();
    },
  };
}

/** Streams have connections of their own: they would keep requests from having any. */
function agentsOf({ server, certificate, ca }: ConnectionOptions) {
  const requests = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS };
  if (!isSecure(server)) return { requests: new HttpAgent(requests), streams: new HttpAgent() };
  const identity = { ...certificate, ...(ca === undefined ? {} : { ca }) };
  return {
    requests: new HttpsAgent({ ...requests, ...identity }),
    streams: new HttpsAgent(identity),
  };
}

function isSecure(server: string): boolean {
  return new URL(server).protocol === "https:";
}

interface Opening {
  readonly agent: HttpAgent;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function opener(options: ConnectionOptions) {
  const url = new URL(options.server);
  const { hostname, port } = urlToHttpOptions(url);
  const prefix = url.pathname.replace(/\/+$/, "");
  const begin = isSecure(options.server) ? httpsRequest : httpRequest;
  return (request: HttpRequest, { agent, timeoutMs, signal }: Opening): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const { method, body } = request;
      const sent = begin({
        hostname,
        port,
        method,
        path: `${prefix}${request.path}`,
        headers: headersOf(options, body),
        agent,
        ...(signal ? { signal } : {}),
      });
      sent.on("response", (answer) => resolve(answerOf(request, answer)));
      sent.on("error", (cause) => reject(failure(request, cause)));
      sent.on("socket", (socket) => socket.setKeepAlive(true, PROBE_MS));
      if (timeoutMs !== undefined) {
        sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer in ${timeoutMs} ms`)));
      }
      sent.end(body?.text);
    });
}

function headersOf({ token, userAgent = "tally" }: ConnectionOptions, body: HttpRequest["body"]) {
  return {
    Accept: "application/json",
    "User-Agent": userAgent,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body
      ? { "Content-Type": body.contentType, "Content-Length": Buffer.byteLength(body.text) }
      : {}),
  };
}

function answerOf(request: HttpRequest, message: IncomingMessage): HttpAnswer {
  message.setEncoding("utf8");
  return { status: message.statusCode ?? 0, pieces: piecesOf(request, message) };
}

async function* piecesOf(request: HttpRequest, message: IncomingMessage): AsyncIterable<string> {
  try {
    for await (const piece of message) yield piece as string;
  } catch (cause) {
    throw failure(request, cause);
  }
}

function failure({ method, path }: HttpRequest, cause: unknown): Error {
  return new Error(`${method} ${path.split("?")[0]}`, { cause });
}
