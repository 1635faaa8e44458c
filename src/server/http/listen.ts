/** Sockets: reads requests within limits, delays answers until they are durable, sends streams. */
import { rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ReadYaml } from "../../api/schema/yaml-text.ts";
import type { Clock } from "../../base/clock.ts";
import { listenAtSocket } from "../../base/socket-address.ts";
import type { Store, Subscription } from "../../store/types.ts";
import type { User } from "../authorization/user.ts";
import { afterLoading } from "../customresources/load-rules.ts";
import type { Answer, StreamAnswer, UpgradeAnswer, WatchAnswer } from "./answer.ts";
import { authorizeRequest } from "./authorize.ts";
import { isYaml } from "./body.ts";
import { Boundary } from "./boundary.ts";
import { ByteStream } from "./byte-stream.ts";
import { findCaller } from "./caller.ts";
import { FairQueue } from "./fair-queue.ts";
import { FanOut, type Telling } from "./fan-out.ts";
import type { Guard } from "./guard.ts";
import { handle } from "./handle.ts";
import { type AuditedUpgrade, noteRequest } from "./note-request.ts";
import { parseQuery } from "./query.ts";
import { BODY_LIMIT_BYTES, type Bodies, readBody, tooManyRequests } from "./read-body.ts";
import type { ApiServer, Request } from "./request.ts";
import { sinkOf } from "./sink.ts";
import type { RawUpgrade } from "./streams/websocket.ts";
import { UNREAD_ANSWER_LIMITS, Unread } from "./unread.ts";
import { findUpgrade, responseOn, StreamBroken, takeBearer, Upgrades } from "./upgrade.ts";
import { mostValuesAt } from "./values.ts";
import type { Share } from "./watch-encode.ts";
import { WatchStream } from "./watch-stream.ts";
import { YamlReader, type YamlThread } from "./yaml/yaml-reader.ts";
import { startYamlThread } from "./yaml/yaml-thread.ts";

export type ListenOptions = ListenPlace & {
  readonly tls?: {
    readonly cert: string;
    readonly key: string;
    /** Request client certificates signed by this authority; absent: none are requested. */
    readonly clientAuthority?: string;
  };
  readonly guard: Guard;
  /** Starts a thread that parses YAML; by default from the files of the package. */
  readonly startYaml?: () => YamlThread;
};

type ListenPlace =
  | { readonly address: string; readonly port: number }
  /** A Unix socket, for its owner only. An existing socket file is taken for a stale one. */
  | { readonly socket: string };

export interface Listener {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Stops accepting, ends streams, and lets pending answers finish. */
  close(): Promise<void>;
}

const HEADER_LIMIT_BYTES = 64 * 1024;
/** For the private socket, whose user submits a Job together with its whole list. */
const OWN_BODY_LIMIT_BYTES = 200 * 1024 * 1024;
/** Go keeps idle connections for 90 s; closing them earlier would reset requests in flight. */
const KEEP_ALIVE_MS = 125_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often connections are checked for being too slow. */
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
  const bodies = { bytes: 0 };
  const unread = server.unread ?? new Unread();
  const unreadAnswers = server.unreadAnswers ?? new Unread(UNREAD_ANSWER_LIMITS);
  const yaml = new YamlReader({ clock: server.clock, start: options.startYaml ?? startYamlThread });
  const isOwn = "socket" in options;
  const limitBytes = isOwn ? OWN_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;
  const { guard } = options;
  const limits = {
    limitBytes,
    mostValuesAt: isOwn ? () => Number.POSITIVE_INFINITY : mostValuesAt,
  };
  const common = {
    server,
    guard,
    streams,
    queue,
    fanOut,
    bodies,
    unread,
    unreadAnswers,
    yaml,
    ...limits,
  };
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    keepReading(message);
    serve({ ...common, message, response });
  };
  const httpOptions = {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    connectionsCheckingInterval: SLOWNESS_CHECK_MS,
    noDelay: true,
  };
  const http: Server = options.tls
    ? createHttpsServer({ ...httpOptions, ...tlsOptions(options.tls) }, onRequest)
    : createHttpServer(httpOptions, onRequest);
  http.on("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener here, an error of a disconnected client would end the server.
    socket.on("error", () => socket.destroy());
    const response = answerable(server, message, socket);
    if (!response) return;
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
  const behind = closeThoseBehind(server.store, streams);
  const address = http.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: () => {
      behind.close();
      yaml.close();
      return close(http, streams);
    },
  };
}

interface Pausing {
  _paused?: boolean;
}

/**
 * Node stops reading from a client that sends a request before it has received the last answer.
 * Node then takes the rest of the body, already decrypted, for an error and resets the connection,
 * although the client has read the answer and only Node does not know it yet. The amount of unread
 * data is limited elsewhere.
 */
function keepReading({ socket, complete }: IncomingMessage): void {
  const pausing = socket as Socket & Pausing;
  if (complete || pausing._paused !== true) return;
  pausing._paused = false;
  socket.resume();
}

/** An upgrade request must not be sent before the previous answer is complete. */
function answerable(server: ApiServer, message: IncomingMessage, socket: Duplex) {
  try {
    return responseOn(message, socket);
  } catch (error) {
    server.log.debug("a request to upgrade came too early", { error });
    socket.destroy();
    return undefined;
  }
}

/** Waits two rounds of the event loop, because a new connection takes several to be read. */
function afterReading(callback: () => void): void {
  setImmediate(() => setImmediate(callback));
}

/** Clients without a certificate, or with an invalid one, may still authenticate by token. */
function tlsOptions({ cert, key, clientAuthority }: ListenOptions["tls"] & object): ServerOptions {
  const handshakeTimeout = HANDSHAKE_TIMEOUT_MS;
  const own: ServerOptions = { cert, key, minVersion: "TLSv1.2", handshakeTimeout };
  if (clientAuthority === undefined) return own;
  return { ...own, ca: clientAuthority, requestCert: true, rejectUnauthorized: false };
}

function listenAt(http: Server, place: ListenPlace, onListening: () => void): void {
  if ("port" in place) {
    http.listen(place.port, place.address, onListening);
    return;
  }
  rmSync(place.socket, { force: true });
  listenAtSocket(http, place.socket, onListening);
}

/** A stream continues until the client ends it or the server stops. */
interface Stream {
  finish(): void;
  /** Watches only. */
  closeIfBehind?(oldestRevision: number): void;
}

/** Closes watches that are too far behind whenever the store has dropped part of its history. */
function closeThoseBehind(store: Store, streams: ReadonlySet<Stream>): Subscription {
  let oldest = store.oldestRevision;
  return store.onDurable(() => {
    if (store.oldestRevision === oldest) return;
    oldest = store.oldestRevision;
    for (const stream of streams) stream.closeIfBehind?.(oldest);
  });
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
  readonly mostValuesAt: (path: string) => number;
  readonly unread: Unread;
  readonly unreadAnswers: Unread;
  readonly yaml: YamlReader;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** Set if the client requests another protocol. */
  readonly upgrading?: { readonly upgrades: Upgrades; readonly raw: Omit<RawUpgrade, "contain"> };
}

/** Synchronous unless something has to be waited for: most answers are ready at once. */
function serve(exchange: Exchange): void {
  const { server, guard, queue, bodies, limitBytes, message, response } = exchange;
  const { method = "GET", url = "/", headers } = message;
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  const asked = { method, path, accept: headers.accept };
  const boundary = new Boundary(server, asked, message, response);
  const fail = (error: unknown): void => boundary.fail(error);
  boundary.run(() => {
    const user = findCaller(server, guard, message, path);
    boundary.unread = { unread: exchange.unreadAnswers, user: user.name };
    const query = question < 0 ? NO_QUERY : parseQuery(url.slice(question + 1));
    const asker = { method, path, query, user };
    const noted = server.audit && noteRequest(server, exchange, boundary.contain, asker);
    const answer = (body: Buffer, yaml?: ReadYaml): void => {
      const { "content-type": contentType, "if-none-match": ifNoneMatch } = headers;
      const upgrade = exchange.upgrading && findUpgrade(message);
      const more = {
        ...(upgrade ? { upgrade } : {}),
        ...(noted ? { annotate: noted.annotate } : {}),
      };
      const userAgent = headers["user-agent"];
      const mostValues = body.length > 0 ? exchange.mostValuesAt(path) : undefined;
      const read = { query, contentType, ifNoneMatch, userAgent, body, yaml, mostValues };
      const request = { ...asked, ...read, user, ...more };
      const known = { ...exchange, user, boundary, audited: noted?.upgrade };
      const go = (): void => respond(known, handle(server, request));
      afterLoading(request, go, fail);
    };
    const queued = (body: Buffer, yaml?: ReadYaml): void => {
      const isTaken = queue.enter(user.name, headers["user-agent"] ?? "", () => {
        // Skip clients that have disconnected in the meantime.
        if (!response.destroyed) boundary.run(() => answer(body, yaml));
      });
      if (!isTaken) throw tooManyRequests();
    };
    if (PROBES.test(path)) answer(NO_BODY);
    else if (method === "GET" || method === "HEAD" || exchange.upgrading) queued(NO_BODY);
    else
      readBody(message, { bodies, limitBytes }, (over) => response.once("close", over))
        .then(async (body) => queued(body, await readAhead(exchange, { user, path, query }, body)))
        .catch(fail);
  });
}

/**
 * Short YAML is faster to parse here than in another thread, unless it repeats parts by aliases.
 */
const SHORT_YAML_BYTES = 8 * 1024;
const ANCHOR = "&";

async function readAhead(
  { server, message, response, yaml, mostValuesAt: most }: Exchange,
  { user, path, query }: Pick<Request, "user" | "path" | "query">,
  body: Buffer,
): Promise<ReadYaml | undefined> {
  const { method = "", headers } = message;
  if (!isYaml({ method, contentType: headers["content-type"] })) return undefined;
  if (body.length <= SHORT_YAML_BYTES && !body.includes(ANCHOR)) return undefined;
  // Authorize first, so that rejected requests cause no work.
  authorizeRequest(server, user, { method, path, query });
  return yaml.read(user.name, { bytes: body, mostValues: most(path) }, () => !response.destroyed);
}

interface KnownExchange extends Exchange {
  readonly user: User;
  readonly boundary: Boundary;
  readonly audited: AuditedUpgrade | undefined;
}

/** The prefix rule: no client outside learns of a write that a crash could undo. */
function respond(exchange: KnownExchange, answer: Answer): void {
  const { boundary } = exchange;
  const { store } = exchange.server;
  const revision =
    answer.type === "watch"
      ? Math.min(answer.watching.revision, store.revision)
      : (answer.revision ?? store.revision);
  const go = (): void => {
    if (answer.type === "watch") startWatch(exchange, answer);
    else if (answer.type === "stream") boundary.settle(startStream(exchange, answer));
    else if (answer.type === "upgrade") startUpgrade(exchange, answer);
    else boundary.send(answer);
  };
  if (revision <= store.durableRevision) go();
  else boundary.settle(store.durable(revision).then(go));
}

async function startStream(exchange: Exchange, answer: StreamAnswer): Promise<void> {
  const { streams, response } = exchange;
  const stream = new ByteStream(answer, response);
  streams.add(stream);
  try {
    await stream.send();
  } finally {
    streams.delete(stream);
  }
}

function startUpgrade(exchange: KnownExchange, answer: UpgradeAnswer): void {
  const { server, message, response, upgrading, user, boundary, audited } = exchange;
  if (!upgrading) return;
  const { upgrades, raw } = upgrading;
  const { socket } = raw;
  upgrades.enter(socket, user.name);
  response.detachSocket(socket as Socket);
  boundary.leaveHttp();
  const accepted = upgrades.accept(answer, { ...raw, contain: boundary.contain });
  let refusal: ServerResponse | undefined;
  socket.once("close", () => audited?.end(refusal));
  const ended = accepted.catch((error) => {
    if (!(error instanceof StreamBroken)) {
      refusal = responseOn(message, socket);
      boundary.answerOn(refusal);
    } else if (!error.isOurs) return server.log.debug("a stream broke off", { error });
    throw error;
  });
  boundary.settle(ended);
}

function startWatch(exchange: KnownExchange, answer: WatchAnswer): void {
  const { server, streams, response, boundary, unread, user } = exchange;
  if (response.destroyed) return;
  const { contain } = boundary;
  const { clock, random, store } = server;
  const timed: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs, callback) => clock.schedule(delayMs, contain(callback)),
  };
  const contained: Telling = {
    tell: () => {
      let bytes = 0;
      boundary.run(() => {
        bytes = watch.tell();
      });
      return bytes;
    },
  };
  const fanOut = { enter: () => exchange.fanOut.enter(contained) };
  const share: Share = (key, encode) => unread.share(key, encode);
  const environment = { clock: timed, random, store, share };
  const sink = sinkOf(response, { contain, unread, user: user.name });
  const watch = new WatchStream(environment, answer, sink, fanOut);
  streams.add(watch);
  response.on("close", () => {
    streams.delete(watch);
    boundary.run(() => watch.close());
  });
  watch.start();
}

/** Health probes bypass the queue: they must not depend on the load from other clients. */
const PROBES = /^\/(?:healthz|livez|readyz)$/;
const NO_BODY = Buffer.alloc(0);
const NO_QUERY = new URLSearchParams();
