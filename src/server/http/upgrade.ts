/**
 * Upgrade requests: the client wants another protocol. They pass the same guard and verbs as all
 * other requests. If the result is not a stream, the answer is plain HTTP.
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

/** Each stream holds a connection and often a process; the limit stops clients that leak them. */
const MOST_STREAMS = 512;
/** A single user cannot take all streams. */
const MOST_STREAMS_PER_USER = 128;

/** The requested protocol and subprotocols; undefined if the protocol is unsupported. */
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

/** A browser page cannot set headers for a WebSocket, and sends its token as a subprotocol. */
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
 * Creates a response for a request whose socket the HTTP server has released. Throws if an earlier
 * request of the connection is not answered yet.
 */
export function responseOn(message: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  // The socket of an HTTP server is always one of node:net or node:tls.
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  return response;
}

/** A stream failed after it had started, so that no HTTP answer is possible. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
  /** The server failed, not the client. */
  readonly isOurs: boolean;

  constructor(message: string, why: { readonly cause: unknown; readonly isOurs: boolean }) {
    super(message, { cause: why.cause });
    this.isOurs = why.isOurs;
  }
}

/** The open streams. */
export class Upgrades {
  private readonly userOf = new Map<Duplex, string>();

  /** Throws a 429 if there are too many streams. The place is free again when the socket closes. */
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

  /** Settles when the stream has ended; rejects if it cannot start. */
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
