/** Exec and attach over a WebSocket: one channel per stream. */
import type { Readable } from "node:stream";
import type { WebSocket } from "ws";
import type { CommandStream } from "../../../api/stream-source.ts";
import type { Contain } from "../contain.ts";
import {
  type ChannelProtocol,
  ERROR,
  formatMessage,
  parseMessage,
  RESIZE,
  STDERR,
  STDIN,
  STDOUT,
} from "./channels.ts";
import { commandStatus, parseSize } from "./command-status.ts";
import type { CommandOptions } from "./options.ts";
import { sendMessage } from "./websocket.ts";

const NORMAL = 1000;

export interface ChannelContext {
  readonly protocol: ChannelProtocol;
  readonly contain: Contain;
}

export async function streamCommand(
  socket: WebSocket,
  { protocol, contain }: ChannelContext,
  stream: CommandStream,
  { command }: Pick<CommandOptions, "command">,
): Promise<void> {
  socket.once("close", () => stream.close());
  takeInput(socket, { protocol, contain }, stream);
  const say = (channel: number, bytes: Uint8Array) =>
    sendMessage(socket, formatMessage(protocol, channel, bytes));
  // An empty message tells the client that the stream is open before there is data.
  await say(stream.stdout ? STDOUT : stream.stderr ? STDERR : ERROR, NOTHING);
  await Promise.all([
    forward(stream.stdout, (bytes) => say(STDOUT, bytes)),
    forward(stream.stderr, (bytes) => say(STDERR, bytes)),
  ]);
  const status = commandStatus(await stream.ended, command);
  if (protocol.hasStatus) await say(ERROR, Buffer.from(JSON.stringify(status)));
  else if (status.message !== undefined) await say(ERROR, Buffer.from(status.message));
  socket.close(NORMAL);
}

const NOTHING = Buffer.alloc(0);

async function forward(
  output: Readable | undefined,
  send: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  if (!output) return;
  for await (const bytes of output) await send(bytes);
}

function takeInput(
  socket: WebSocket,
  { protocol, contain }: ChannelContext,
  stream: CommandStream,
): void {
  const { stdin } = stream;
  stdin?.on("error", () => {});
  stdin?.on("drain", () => socket.resume());
  const take = contain((data: Buffer) => {
    const message = parseMessage(protocol, data);
    if (message === undefined) return;
    if ("closed" in message) {
      if (message.closed === STDIN) stdin?.end();
    } else if (message.channel === RESIZE) {
      const size = parseSize(message.bytes.toString("utf8"));
      if (size) stream.resize(size);
    } else if (message.channel === STDIN && stdin?.writable && message.bytes.length > 0) {
      if (!stdin.write(message.bytes)) socket.pause();
    }
  });
  socket.on("message", (data: Buffer) => take(data));
}
