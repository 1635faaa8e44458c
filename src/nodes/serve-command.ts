/** The server side of a command: sends its streams as frames, with back-pressure. */
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { CommandStream, TerminalSize } from "../api/stream-source.ts";
import { CHANNEL, encodeFrame, type Frame, FrameReader } from "./frames.ts";

export function serveCommand(socket: Socket, command: CommandStream): void {
  const reader = new FrameReader();
  socket.on("data", (piece) => {
    try {
      for (const frame of reader.read(piece)) take(socket, command, frame);
    } catch {
      socket.destroy();
    }
  });
  socket.on("close", () => command.close());
  // Ignore errors of writing to a process that has already ended.
  command.stdin?.on("error", () => {});
  void tellAll(socket, command);
}

function take(socket: Socket, { stdin, resize }: CommandStream, { channel, payload }: Frame): void {
  switch (channel) {
    case CHANNEL.stdin:
      if (!stdin || stdin.destroyed || stdin.write(payload)) return;
      socket.pause();
      stdin.once("drain", () => socket.resume());
      stdin.once("close", () => socket.resume());
      return;
    case CHANNEL.stdinEnd:
      stdin?.end();
      return;
    case CHANNEL.resize:
      resize(JSON.parse(payload.toString("utf8")) as TerminalSize);
      return;
  }
}

async function tellAll(socket: Socket, { stdout, stderr, ended }: CommandStream): Promise<void> {
  await Promise.all([
    stdout && pour(stdout, CHANNEL.stdout, socket),
    stderr && pour(stderr, CHANNEL.stderr, socket),
  ]);
  const end = await ended.catch((error: unknown) => ({ problem: String(error) }));
  socket.end(encodeFrame(CHANNEL.end, Buffer.from(JSON.stringify(end))));
}

async function pour(from: Readable, channel: number, socket: Socket): Promise<void> {
  try {
    for await (const piece of from) {
      if (socket.write(encodeFrame(channel, piece as Buffer))) continue;
      await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
      if (socket.destroyed) return;
    }
  } catch {
    // The stream ended prematurely. The end frame contains the reason.
  }
}
