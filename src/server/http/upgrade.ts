/**
 * Requests that want to speak another protocol. They pass the same guard and the same verbs as all
 * others; only what comes out may be a stream. Where it is not, the answer is plain HTTP.
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../../api/errors.ts";
import { describeError } from "../../base/describe-error.ts";
import type { UpgradeAnswer } from "./answer.ts";
import type { Upgrade } from "./request.ts";
import { ClientFault } from "./stream-errors.ts";
import type { RawUpgrade } from "./streams/websocket.ts";

/** Each holds a connection and often a process: a client that leaks them is stopped by this. */
const MOST_STREAMS = 512;
/** No single user can take the streams of all others. */
const MOST_STREAMS_PER_USER = 128;

/** What the client would speak, and in what; undefined where it names nothing that we know. */
export function findUpgrade({ headers }: IncomingMessage): Upgrade | undefined {
  const protocol = headers.upgrade?.trim().toLowerCase();
  if (protocol !== "websocket" && protocol !== "spdy/3.1") return undefined;
  const named =
    protocol === "websocket"
      ? headers["sec-websocket-protocol"]
      : headers["x-stream-protocol-version"];
  const words = (Array.isArray(named) ? named.join(",") : (named ?? "")).split(",");
  const subprotocols = words.map((word) => word.trim()).filter((word) => word !== "");
  return { protocol, subprotocols: subprotocols.filter((each) => !each.startsWith(BEARER)) };
}

/** How a page of a browser, which can set no headers, says who it is. */
const BEARER = "base64url.bearer.authorization.k8s.io.";

export function takeBearer({ headers }: IncomingMessage): void {
  if (headers.authorization !== undefined) return;
  const named = (headers["sec-websocket-protocol"] ?? "").split(",").map((word) => word.trim());
  const bearer = named.find((word) => word.startsWith(BEARER));
  if (bearer === undefined) return;
  const token = Buffer.from(bearer.slice(BEARER.length), "base64url").toString("utf8");
  headers.authorization = `Bearer ${token}`;
}

/**
 * The means to answer a request whose socket is no longer in the hands of the HTTP server. Throws
 * if an earlier request of the connection is not answered yet.
 */
export function responseOn(message: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // The socket of a server is one of node:net or node:tls.
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  return response;
}

/** Too late for an answer. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
  /** The server failed, not the client. */
  readonly isOurs: boolean;

  constructor(message: string, why: { readonly cause: unknown; readonly isOurs: boolean }) {
    super(message, { cause: why.cause });
    this.isOurs = why.isOurs;
  }
}

/** The streams that are open. */
export class Upgrades {
  private readonly userOf = new Map<Duplex, string>();

  /** Throws the 429 of a stream too many. Its place is free again when the socket closes. */
  enter(socket: Duplex, user: string): void {
    if (this.userOf.size >= MOST_STREAMS) throw tooManyStreams(MOST_STREAMS, "");
    let own = 0;
    for (const each of this.userOf.values()) if (each === user) own++;
    if (own >= MOST_STREAMS_PER_USER) {
      throw tooManyStreams(MOST_STREAMS_PER_USER, ` of user ${JSON.stringify(user)}`);
    }
    this.userOf.set(socket, user);
    socket.once("close", () => this.userOf.delete(socket));
  }

  /** Settles when the stream is over; rejects if it cannot be begun. */
  async accept(answer: UpgradeAnswer, raw: RawUpgrade): Promise<void> {
    const socket = raw.socket as Socket;
    const before = socket.bytesWritten;
    try {
      await answer.accept(raw);
    } catch (cause) {
      this.userOf.delete(socket);
      if (socket.bytesWritten === before && !socket.destroyed) throw cause;
      const isOurs = !socket.destroyed && !(cause instanceof ClientFault);
      socket.destroy();
      throw new StreamBroken(describeError(cause), { cause, isOurs });
    }
  }

  closeAll(): void {
    for (const socket of this.userOf.keys()) socket.destroy();
  }
}

function tooManyStreams(most: number, whose: string): ApiError {
  const problem = `${most} streams${whose} are open already; close some and try again`;
  return new ApiError(429, "TooManyRequests", problem, { retryAfterSeconds: 1 });
}
