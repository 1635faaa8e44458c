/** Sockets: reads requests within limits, holds answers until they are durable, sends streams. */
import { rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Duplex } from "node:stream";
import { afterLoading } from "../customresources/load-rules.ts";
import type { Answer, StreamAnswer, UpgradeAnswer, WatchAnswer } from "./answer.ts";
import { ByteStream } from "./byte-stream.ts";
import { findCaller } from "./caller.ts";
import { errorAnswer } from "./error-answer.ts";
import { FairQueue } from "./fair-queue.ts";
import { FanOut } from "./fan-out.ts";
import type { Guard } from "./guard.ts";
import { handle } from "./handle.ts";
import { noteRequest } from "./note-request.ts";
import { parseQuery } from "./query.ts";
import { BODY_LIMIT_BYTES, type Bodies, readBody, tooManyRequests } from "./read-body.ts";
import type { ApiServer } from "./request.ts";
import { send, sinkOf } from "./respond.ts";
import type { RawUpgrade } from "./streams/websocket.ts";
import {
  findUpgrade,
  refusalAnswer,
  responseOn,
  StreamBroken,
  takeBearer,
  Upgrades,
} from "./upgrade.ts";
import { WatchStream } from "./watch-stream.ts";

export type ListenOptions = ListenPlace & {
  readonly tls?: {
    readonly cert: string;
    readonly key: string;
    /** Clients may show a certificate of this authority; absent: they are not asked for one. */
    readonly clientAuthority?: string;
  };
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

const HEADER_LIMIT_BYTES = 64 * 1024;
/** Of the server's own user, who submits a Job together with its whole list. */
const OWN_BODY_LIMIT_BYTES = 200 * 1024 * 1024;
/** Go keeps idle connections for 90 s; closing them sooner resets requests under way. */
const KEEP_ALIVE_MS = 125_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often connections are looked at whether they are too slow. */
const SLOWNESS_CHECK_MS = 2_000;
const HANDSHAKE_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 2_000;

export async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const streams = new Set<Stream>();
  const upgrades = new Upgrades();
  streams.add({ finish: () => upgrades.closeAll() });
  const queue = new FairQueue({ nowMs: () => performance.now(), afterReading });
  const fanOut = new FanOut(setImmediate);
  const limitBytes = "socket" in options ? OWN_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;
  const bodies = { bytes: 0 };
  const common = { server, guard: options.guard, streams, queue, fanOut, bodies, limitBytes };
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    serve({ ...common, message, response });
  };
  const limits = {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    connectionsCheckingInterval: SLOWNESS_CHECK_MS,
    noDelay: true,
  };
  const http: Server = options.tls
    ? createHttpsServer({ ...limits, ...tlsOptions(options.tls) }, onRequest)
    : createHttpServer(limits, onRequest);
  http.on("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Nobody else listens from here on, and a client that breaks off must not end the server.
    socket.on("error", () => socket.destroy());
    const response = responseOn(message, socket);
    takeBearer(message);
    const upgrading = { upgrades, raw: { message, socket, head } };
    serve({ ...common, message, response, upgrading });
  });
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

/** Twice around: who is only just connecting takes some turns to be heard at all. */
function afterReading(callback: () => void): void {
  setImmediate(() => setImmediate(callback));
}

/** Whoever shows no certificate, or none of ours, may still have a token. */
function tlsOptions({ cert, key, clientAuthority }: ListenOptions["tls"] & object): ServerOptions {
  const handshakeTimeout = HANDSHAKE_TIMEOUT_MS;
  const own: ServerOptions = { cert, key, minVersion: "TLSv1.2", handshakeTimeout };
  if (clientAuthority === undefined) return own;
  return { ...own, ca: clientAuthority, requestCert: true, rejectUnauthorized: false };
}

const NOT_FOR_OTHERS = 0o177;

function listenAt(http: Server, place: ListenPlace, onListening: () => void): void {
  if ("port" in place) {
    http.listen(place.port, place.address, onListening);
    return;
  }
  rmSync(place.socket, { force: true });
  // So that there is no moment in which others could open it: it is made before listen() returns.
  const before = process.umask(NOT_FOR_OTHERS);
  try {
    http.listen(place.socket, onListening);
  } finally {
    process.umask(before);
  }
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
  readonly queue: FairQueue;
  readonly fanOut: FanOut;
  readonly bodies: Bodies;
  readonly limitBytes: number;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** It wants to speak another protocol. */
  readonly upgrading?: { readonly upgrades: Upgrades; readonly raw: RawUpgrade };
}

/** Without an await where nothing has to be waited for: most answers are ready at once. */
function serve(exchange: Exchange): void {
  const { server, guard, queue, bodies, limitBytes, message, response } = exchange;
  const { method = "GET", url = "/", headers } = message;
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  const asked = { method, path, accept: headers.accept };
  const fail = (error: unknown) => send(errorAnswer(server, asked, error), message, response);
  try {
    const user = findCaller(server, guard, message, path);
    const query = question < 0 ? NO_QUERY : parseQuery(url.slice(question + 1));
    if (server.audit) noteRequest(server, exchange, { method, path, query, user });
    const answer = (body: Buffer): void => {
      const { "content-type": contentType, "if-none-match": ifNoneMatch } = headers;
      const upgrade = exchange.upgrading && findUpgrade(message);
      const more = upgrade ? { upgrade } : {};
      const userAgent = headers["user-agent"];
      const read = { query, contentType, ifNoneMatch, userAgent, body };
      const request = { ...asked, ...read, user, ...more };
      afterLoading(request, () => respond(exchange, handle(server, request), fail), fail);
    };
    const queued = (body: Buffer): void => {
      const isTaken = queue.enter(user.name, headers["user-agent"] ?? "", () => {
        // Whoever has gone meanwhile needs no answer.
        if (response.destroyed) return;
        try {
          answer(body);
        } catch (error) {
          fail(error);
        }
      });
      if (!isTaken) throw tooManyRequests();
    };
    if (PROBES.test(path)) answer(NO_BODY);
    else if (method === "GET" || method === "HEAD" || exchange.upgrading) queued(NO_BODY);
    else
      readBody(message, { bodies, limitBytes }, (over) => response.once("close", over))
        .then(queued)
        .catch(fail);
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
    else if (answer.type === "upgrade") startUpgrade(exchange, answer);
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

function startUpgrade({ server, message, response, upgrading }: Exchange, answer: UpgradeAnswer) {
  if (!upgrading) return;
  const { upgrades, raw } = upgrading;
  const fail = (error: unknown): void => {
    const { method = "GET", url = "/", headers } = message;
    const asked = { method, path: url, accept: headers.accept };
    const refusal = refusalAnswer(error) ?? errorAnswer(server, asked, error);
    send(refusal, message, responseOn(message, raw.socket));
  };
  upgrades.accept(answer, raw, response).catch((error) => {
    if (error instanceof StreamBroken) server.log.debug("a stream broke off", { error });
    else fail(error);
  });
}

function startWatch(exchange: Exchange, answer: WatchAnswer): void {
  const { server, streams, fanOut, response } = exchange;
  if (response.destroyed) return;
  const watch = new WatchStream(server, answer, sinkOf(response), fanOut);
  streams.add(watch);
  response.on("close", () => {
    watch.close();
    streams.delete(watch);
  });
  watch.start();
}

/** They are asked to find out whether the server lives, which must not depend on who else asks. */
const PROBES = /^\/(?:healthz|livez|readyz)$/;
const NO_BODY = Buffer.alloc(0);
const NO_QUERY = new URLSearchParams();
