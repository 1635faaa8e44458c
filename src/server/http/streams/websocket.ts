/** WebSockets: opened from an upgrade request, kept alive, and written at the client's pace. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Contain } from "../contain.ts";
import { ClientFault } from "../stream-errors.ts";

export interface RawUpgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that already followed the request. */
  readonly head: Buffer;
  /** For callbacks: an exception in this stream closes only this stream. */
  readonly contain: Contain;
}

/** A client may send all of its input in one message. */
const LONGEST_MESSAGE_BYTES = 32 * 1024 * 1024;
const PING_MS = 30_000;

/** The package is loaded at first use. */
export async function openWebSocket(raw: RawUpgrade, subprotocol: string): Promise<WebSocket> {
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: LONGEST_MESSAGE_BYTES,
  });
  // The package rejects subprotocols with a slash, and kubectl's port forwarding uses one. So it
  // must not see the header of the client.
  delete raw.message.headers["sec-websocket-protocol"];
  if (subprotocol !== "") {
    server.on("headers", (headers) => headers.push(`Sec-WebSocket-Protocol: ${subprotocol}`));
  }
  return new Promise((resolve, reject) => {
    raw.socket.once("close", () => reject(new ClientFault("the client is gone")));
    server.handleUpgrade(raw.message, raw.socket, raw.head, (socket) => {
      // An invalid frame closes the connection.
      socket.on("error", () => {});
      keepAlive(socket);
      resolve(socket);
    });
  });
}

/** A client that does not answer a ping within one period is disconnected. */
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

/** Settles when the message is sent, or cannot be sent any more. */
export function sendMessage(socket: WebSocket, message: Buffer | string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => socket.send(message, () => resolve()));
}
