/**
 * The input of a container: a named pipe that we hold at both ends, so that whoever opens it to
 * read need not wait, and nobody has read to its end before we say so.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { promisify } from "node:util";

const AGAIN_MS = 10;
/** A container that was told to begin opens its input, unless it never comes to that. */
const LONGEST_WAIT_MS = 10_000;

export class Fifo {
  private socket: Socket | undefined;
  private readonly reading: number;

  private constructor(readonly path: string) {
    this.reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    this.socket = new Socket({ fd, readable: false, writable: true });
    this.socket.on("error", () => {});
  }

  static async open(path: string): Promise<Fifo> {
    rmSync(path, { force: true });
    await promisify(execFile)("mkfifo", ["-m", "600", path]);
    return new Fifo(path);
  }

  /** The end of one input is the end of what the container reads only if it is the last one. */
  input({ isLast }: { readonly isLast: boolean }): Writable {
    return new Writable({
      write: (bytes, _encoding, done) => {
        if (this.socket) this.socket.write(bytes, () => done());
        else done();
      },
      final: (done) => {
        if (isLast) this.end();
        done();
      },
    });
  }

  /** No more will come. One that has not been opened yet is kept until it is. */
  end(): void {
    const { socket } = this;
    if (!socket) return;
    this.socket = undefined;
    closeSync(this.reading);
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    const look = (): void => {
      const isOver = hasReader(this.path) || socket.destroyed || performance.now() > untilMs;
      if (isOver) this.finish(socket);
      else setTimeout(look, AGAIN_MS);
    };
    look();
  }

  /** The container is gone. */
  close(): void {
    const { socket } = this;
    if (!socket) return;
    this.socket = undefined;
    closeSync(this.reading);
    socket.destroy();
    rmSync(this.path, { force: true });
  }

  private finish(socket: Socket): void {
    socket.destroySoon();
    rmSync(this.path, { force: true });
  }
}

/** Without one a pipe cannot be opened to write. */
function hasReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}
