/**
 * The older port forwarding over a WebSocket: for each port one channel for data and one for
 * errors, each of which starts with the port number.
 */
import { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { formatMessage, parseMessage } from "./channels.ts";
import { forwardPort, type PortOfPod } from "./forward-port.ts";
import { sendMessage } from "./websocket.ts";
import type { ChannelContext } from "./websocket-command.ts";

export async function streamPorts(
  socket: WebSocket,
  { protocol, contain }: ChannelContext,
  ports: readonly PortOfPod[],
): Promise<void> {
  const say = (channel: number, bytes: Uint8Array) =>
    sendMessage(socket, formatMessage(protocol, channel, bytes));
  const data = ports.map((_, at) => dataChannel(socket, (bytes) => say(2 * at, bytes)));
  const take = contain((bytes: Buffer) => {
    const message = parseMessage(protocol, bytes);
    if (message === undefined || "closed" in message || message.channel % 2 === 1) return;
    const channel = data[message.channel / 2];
    if (channel?.readable && !channel.push(message.bytes)) socket.pause();
  });
  socket.on("message", (bytes: Buffer) => take(bytes));
  socket.once("close", () => {
    for (const channel of data) channel.push(null);
  });
  for (const [at, { port }] of ports.entries()) {
    await say(2 * at, littleEndian(port));
    await say(2 * at + 1, littleEndian(port));
  }
  await Promise.all(
    ports.map(async (port, at) => {
      const channel = data[at];
      const problem = channel && (await forwardPort(port, channel));
      if (problem !== undefined) await say(2 * at + 1, Buffer.from(problem));
    }),
  );
  socket.close();
}

function dataChannel(socket: WebSocket, send: (bytes: Buffer) => Promise<void>): Duplex {
  const channel = new Duplex({
    read: () => socket.resume(),
    write: (bytes, _encoding, done) => void send(bytes).then(() => done()),
  });
  channel.on("error", () => {});
  return channel;
}

function littleEndian(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}
