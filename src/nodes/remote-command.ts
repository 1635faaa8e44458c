/** The client side of a command on another node, based on the frames of its connection. */
import { type Duplex, PassThrough, Writable } from "node:stream";
import type { AttachRequest, CommandEnd, CommandStream } from "../api/stream-source.ts";
import { CHANNEL, encodeFrame, type Frame, FrameReader } from "./frames.ts";

export function remoteCommand(socket: Duplex, asked: AttachRequest): CommandStream {
  const stdout = asked.stdout ? new PassThrough() : undefined;
  const stderr = asked.stderr ? new PassThrough() : undefined;
  const outputs = new Map([
    [CHANNEL.stdout as number, stdout],
    [CHANNEL.stderr, stderr],
  ]);
  const reader = new FrameReader();
  const ended = new Promise<CommandEnd>((resolve) => {
    const end = (how: CommandEnd) => {
      stdout?.end();
      stderr?.end();
      resolve(how);
    };
    socket.on("data", (piece: Buffer) => {
      try {
        for (const frame of reader.read(piece)) {
          if (frame.channel === CHANNEL.end) end(parseEnd(frame));
          else hand(socket, outputs.get(frame.channel), frame);
        }
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => end({ problem: "the connection to the node was lost" }));
  });
  return {
    ...(asked.stdin ? { stdin: stdinOf(socket) } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    resize: (size) => {
      if (socket.writable)
        socket.write(encodeFrame(CHANNEL.resize, Buffer.from(JSON.stringify(size))));
    },
    ended,
    close: () => socket.destroy(),
  };
}

function parseEnd({ payload }: Frame): CommandEnd {
  return JSON.parse(payload.toString("utf8")) as CommandEnd;
}

/** A slow reader applies back-pressure to the connection, so that nothing is buffered here. */
function hand(socket: Duplex, output: PassThrough | undefined, { payload }: Frame): void {
  if (!output || output.write(payload)) return;
  socket.pause();
  output.once("drain", () => socket.resume());
}

function stdinOf(socket: Duplex): Writable {
  return new Writable({
    write: (piece: Buffer, _encoding, done) => {
      if (socket.destroyed) done();
      else socket.write(encodeFrame(CHANNEL.stdin, piece), () => done());
    },
    final: (done) => {
      if (!socket.destroyed) socket.write(encodeFrame(CHANNEL.stdinEnd, new Uint8Array()));
      done();
    },
  });
}
