/** WebSockets: made from a request to upgrade, kept alive, and written to at the client's pace. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Contain } from "../contain.ts";
import { ClientFault } from "../stream-errors.ts";

export interface RawUpgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** What came behind the request already. */
  readonly head: Buffer;
  /** For callbacks: an exception of this stream closes it, and nothing else. */
  readonly contain: Contain;
}

/** A client may send all of its input at once. */
const LONGEST_MESSAGE_BYTES = 32 * 1024 * 1024;
const PING_MS = 30_000;

/** The package is loaded by whoever first needs it. */
export async function openWebSocket(raw: RawUpgrade, subprotocol: string): Promise<WebSocket> {
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: LONGEST_MESSAGE_BYTES,
  });
  // The package refuses subprotocols with a slash, and the one that kubectl forwards ports by has
  // one: it never sees what the client has named.
  delete raw.message.headers["sec-websocket-protocol"];
  if (subprotocol !== "") {
    server.on("headers", (headers) => headers.push(`Sec-WebSocket-Protocol: ${subprotocol}`));
  }
  return new Promise((resolve, reject) => {
    raw.socket.once("close", () => reject(new ClientFault("the client is gone")));
    server.handleUpgrade(raw.message, raw.socket, raw.head, (socket) => {
      // What is wrong with it ends it.
      socket.on("error", () => {});
      keepAlive(socket);
      resolve(socket);
    });
  });
}

/** Whoever does not answer for a whole period is gone. */
function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_MS);
  socket.once("close", () => clearInterval(timer));
}

/** Settles when it is sent, or cannot be any more. */
export function sendMessage(socket: WebSocket, message: Buffer | string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => socket.send(message, () => resolve()));
}
