/** A connection that an engine gave away, taken apart into the streams of one command. */
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import type { AttachRequest, CommandEnd, CommandStream } from "../../../api/stream-source.ts";
import { describeError } from "../../../base/describe-error.ts";
import { OutputSplitter } from "./output-frames.ts";

export interface StreamEffects {
  resize(width: number, height: number): Promise<unknown>;
  /** Asked once the connection has ended. */
  end(): Promise<CommandEnd>;
}

export type WantedStreams = Pick<AttachRequest, "stdin" | "stdout" | "stderr" | "tty">;

export function engineStream(
  socket: Socket,
  wanted: WantedStreams,
  effects: StreamEffects,
): CommandStream {
  // Whoever is slow holds up the connection, and by it the process.
  const output = () => new Readable({ read: () => void socket.resume() });
  const stdout = wanted.stdout ? output() : undefined;
  const stderr = wanted.stderr ? output() : undefined;
  const splitter = new OutputSplitter();
  socket.on("data", (piece: Buffer) => {
    const frames = wanted.tty ? [{ isError: false, bytes: piece }] : splitter.split(piece);
    for (const { isError, bytes } of frames) {
      if ((isError ? stderr : stdout)?.push(bytes) === false) socket.pause();
    }
  });
  socket.on("error", () => {});
  const ended = new Promise<CommandEnd>((resolve) => {
    socket.on("close", () => {
      stdout?.push(null);
      stderr?.push(null);
      effects.end().then(resolve, (error) => resolve({ problem: describeError(error) }));
    });
    // It has nothing more to say: whatever we could still say reaches nobody.
    socket.on("end", () => socket.destroy());
  });
  return {
    ...(wanted.stdin ? { stdin: inputOf(socket) } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    resize: ({ width, height }) => void effects.resize(width, height).catch(() => {}),
    ended,
    close: () => socket.destroy(),
  };
}

function inputOf(socket: Socket): Writable {
  return new Writable({
    write: (bytes, _encoding, done) => {
      if (socket.writable) socket.write(bytes, () => done());
      else done();
    },
    // Half of the connection: the answer is still to come.
    final: (done) => {
      if (socket.writable) socket.end(() => done());
      else done();
    },
  });
}
