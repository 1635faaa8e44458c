/**
 * Requests that want to speak another protocol. They pass the same guard and the same verbs as all
 * others; only what comes out may be a stream. Where it is not, the answer is plain HTTP.
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "../../api/errors.ts";
import { describeError } from "../../base/describe-error.ts";
import { plainText, type UpgradeAnswer } from "./answer.ts";
import type { Upgrade } from "./request.ts";
import { PlainRefusal } from "./streams/serve-stream.ts";
import type { RawUpgrade } from "./streams/websocket.ts";

/** Each holds a connection and often a process: a client that leaks them is stopped by this. */
const MOST_UPGRADES = 512;

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

/** The means to answer a request whose socket is no longer in the hands of the HTTP server. */
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
}

/** The streams that are open. */
export class Upgrades {
  private readonly open = new Set<Duplex>();

  /** Settles when the stream is over; rejects where it cannot be begun. */
  async accept(answer: UpgradeAnswer, raw: RawUpgrade, response: ServerResponse): Promise<void> {
    const socket = raw.socket as Socket;
    if (this.open.size >= MOST_UPGRADES) {
      throw new ApiError(429, "TooManyRequests", `more than ${MOST_UPGRADES} streams are open`, {
        retryAfterSeconds: 1,
      });
    }
    this.open.add(socket);
    response.detachSocket(socket);
    const before = socket.bytesWritten;
    socket.on("error", () => {});
    socket.once("close", () => this.open.delete(socket));
    try {
      await answer.accept(raw);
    } catch (cause) {
      this.open.delete(socket);
      if (socket.bytesWritten === before && !socket.destroyed) throw cause;
      socket.destroy();
      throw new StreamBroken(describeError(cause), { cause });
    }
  }

  closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }
}

/** What is answered where a stream could not be begun; undefined: as any other error. */
export function refusalAnswer(error: unknown) {
  return error instanceof PlainRefusal ? plainText(500, describeError(error)) : undefined;
}
