/** A connection to the child that holds streams, taken apart into the streams of one command. */
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import type { CommandEnd, CommandStream, TerminalSize } from "../../api/stream-source.ts";
import {
  CONTROL,
  formatControl,
  formatFrame,
  STDERR,
  STDIN,
  STDOUT,
  splitFrames,
} from "./frames.ts";
import type { StreamNews, StreamRequest } from "./orders.ts";

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

export function commandStream(socket: Socket, wanted: WantedStreams): CommandStream {
  const outputs = new Map<number, Readable>();
  // Whoever is slow holds up the connection, and by it the process.
  const output = () => new Readable({ read: () => void socket.resume() });
  if (wanted.stdout) outputs.set(STDOUT, output());
  if (wanted.stderr) outputs.set(STDERR, output());
  const ended = new Promise<CommandEnd>((resolve) => {
    let rest: Buffer = Buffer.alloc(0);
    let end: CommandEnd = { problem: "the child that holds streams is gone" };
    socket.on("data", (piece: Buffer) => {
      const split = splitFrames(rest, piece);
      rest = split.rest;
      for (const { kind, bytes } of split.frames) {
        if (kind === CONTROL) end = endOf(JSON.parse(bytes.toString("utf8"))) ?? end;
        else if (outputs.get(kind)?.push(bytes) === false) socket.pause();
      }
    });
    socket.on("close", () => {
      for (const each of outputs.values()) each.push(null);
      resolve(end);
    });
  });
  const [stdout, stderr] = [outputs.get(STDOUT), outputs.get(STDERR)];
  return {
    ...(wanted.stdin ? { stdin: inputOf(socket) } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    resize: ({ width, height }: TerminalSize) => {
      const request: StreamRequest = { order: "resize", width, height };
      if (socket.writable) socket.write(formatControl(request));
    },
    ended,
    close: () => socket.destroy(),
  };
}

function inputOf(socket: Socket): Writable {
  return new Writable({
    write: (bytes, _encoding, done) => {
      if (socket.writable) socket.write(formatFrame(STDIN, bytes), () => done());
      else done();
    },
    final: (done) => {
      if (socket.writable) socket.write(formatFrame(STDIN, NOTHING), () => done());
      else done();
    },
  });
}

const NOTHING = Buffer.alloc(0);

function endOf(news: StreamNews): CommandEnd | undefined {
  switch (news.news) {
    case "exit":
      return { exitCode: news.exitCode };
    case "refused":
      return { problem: news.message };
    case "over":
      return {};
    default:
      return undefined;
  }
}
