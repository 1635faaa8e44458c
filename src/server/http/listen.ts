/** Sockets: reads requests within limits, holds answers until they are durable, sends streams. */
import { chmodSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { ApiError } from "../../api/errors.ts";
import type { Answer, StreamAnswer, WatchAnswer } from "./answer.ts";
import { ByteStream } from "./byte-stream.ts";
import { errorAnswer } from "./error-answer.ts";
import { admitCaller, type Guard } from "./guard.ts";
import { handle } from "./handle.ts";
import { parseQuery } from "./query.ts";
import type { ApiServer, User } from "./request.ts";
import { send, sinkOf } from "./respond.ts";
import { WatchStream } from "./watch-stream.ts";

export type ListenOptions = ListenPlace & {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly guard: Guard;
};

type ListenPlace =
  | { readonly address: string; readonly port: number }
  /** A Unix socket, for its owner alone. What is there of that name is taken for a dead one's. */
  | { readonly socket: string };

export interface Listener {
  /** 0 for a socket. */
  readonly port: number;
  /** Stops accepting, ends streams, lets answers under way finish. */
  close(): Promise<void>;
}

const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
const HEADER_LIMIT_BYTES = 64 * 1024;
/** Go keeps idle connections for 90 s; closing them sooner resets requests under way. */
const KEEP_ALIVE_MS = 125_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 2_000;

export async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const streams = new Set<Stream>();
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    serve({ server, guard: options.guard, streams, message, response });
  };
  const limits = { maxHeaderSize: HEADER_LIMIT_BYTES, noDelay: true };
  const http: Server = options.tls
    ? createHttpsServer({ ...limits, ...options.tls, minVersion: "TLSv1.2" }, onRequest)
    : createHttpServer(limits, onRequest);
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.headersTimeout = HEADERS_TIMEOUT_MS;
  http.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    listenAt(http, options, () => {
      http.off("error", reject);
      resolve();
    });
  });
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => close(http, streams),
  };
}

const OWNER_ONLY = 0o600;

function listenAt(http: Server, place: ListenPlace, onListening: () => void): void {
  if ("port" in place) {
    http.listen(place.port, place.address, onListening);
    return;
  }
  rmSync(place.socket, { force: true });
  http.listen(place.socket, () => {
    chmodSync(place.socket, OWNER_ONLY);
    onListening();
  });
}

/** What goes on until the client, or the server as a whole, ends it. */
interface Stream {
  finish(): void;
}

function close(http: Server, streams: ReadonlySet<Stream>): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => http.closeAllConnections(), CLOSE_GRACE_MS);
    http.close(() => {
      clearTimeout(force);
      resolve();
    });
    for (const stream of streams) stream.finish();
    http.closeIdleConnections();
  });
}

interface Exchange {
  readonly server: ApiServer;
  readonly guard: Guard;
  readonly streams: Set<Stream>;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/** Without an await where nothing has to be waited for: most answers are ready at once. */
function serve(exchange: Exchange): void {
  const { server, guard, message, response } = exchange;
  const { method = "GET", url = "/", headers } = message;
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  const asked = { method, path, accept: headers.accept };
  const fail = (error: unknown) => send(errorAnswer(server, asked, error), message, response);
  try {
    const user: User = admitCaller(guard, path, {
      host: headers.host,
      origin: headers.origin,
      authorization: headers.authorization,
    });
    const answer = (body: Buffer): void => {
      const query = question < 0 ? NO_QUERY : parseQuery(url.slice(question + 1));
      const { "content-type": contentType, "if-none-match": ifNoneMatch } = headers;
      const request = { ...asked, query, contentType, ifNoneMatch, body, user };
      respond(exchange, handle(server, request), fail);
    };
    if (method === "GET" || method === "HEAD") answer(NO_BODY);
    else readBody(message).then(answer).catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** The prefix rule: nobody outside learns of a write that a crash could take back. */
function respond(exchange: Exchange, answer: Answer, fail: (error: unknown) => void): void {
  const { message, response } = exchange;
  const { store } = exchange.server;
  const revision =
    answer.type === "watch"
      ? Math.min(answer.watching.revision, store.revision)
      : (answer.revision ?? store.revision);
  const go = (): void => {
    if (answer.type === "watch") startWatch(exchange, answer);
    else if (answer.type === "stream") startStream(exchange, answer).catch(fail);
    else send(answer, message, response);
  };
  if (revision <= store.durableRevision) go();
  else store.durable(revision).then(go).catch(fail);
}

async function startStream(exchange: Exchange, answer: StreamAnswer): Promise<void> {
  const { server, streams, response } = exchange;
  const stream = new ByteStream(answer, response, server.log);
  streams.add(stream);
  try {
    await stream.send();
  } finally {
    streams.delete(stream);
  }
}

function startWatch({ server, streams, response }: Exchange, answer: WatchAnswer): void {
  if (response.destroyed) return;
  const watch = new WatchStream(server, answer, sinkOf(response));
  streams.add(watch);
  response.on("close", () => {
    watch.close();
    streams.delete(watch);
  });
  watch.start();
}

const NO_BODY = Buffer.alloc(0);
const NO_QUERY = new URLSearchParams();

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length > BODY_LIMIT_BYTES) throw tooLarge(message);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT_BYTES) reject(tooLarge(message));
      else chunks.push(chunk);
    });
    message.on("end", () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    message.on("error", reject);
    message.on("aborted", () => reject(new ApiError(400, "BadRequest", "the request was aborted")));
  });
}

function tooLarge(message: IncomingMessage): ApiError {
  // What is left of the body is read and thrown away, so that the client gets to see the answer.
  message.resume();
  const problem = `Request entity too large: limit is ${BODY_LIMIT_BYTES}`;
  return new ApiError(413, "RequestEntityTooLarge", problem);
}
