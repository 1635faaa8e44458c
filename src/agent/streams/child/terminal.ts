/**
 * A pseudo-terminal. Only the part of node-pty that the system has and Node has not is used: to
 * open one, and to tell it its size. The package is optional, and loaded when somebody wants one.
 */
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import { Writable } from "node:stream";
import { ReadStream } from "node:tty";

interface NativeTerminals {
  open(
    columns: number,
    rows: number,
  ): {
    readonly master: number;
    readonly slave: number;
    readonly pty: string;
  };
  resize(master: number, columns: number, rows: number): void;
}

const COLUMNS = 80;
const ROWS = 24;
/** What the kernel keeps of each. */
const LARGEST = 65_535;

export class Terminal {
  private readonly screen: ReadStream;
  private isSlaveOpen = true;

  private constructor(
    private readonly native: NativeTerminals,
    private readonly master: number,
    readonly slave: number,
    /** "/dev/pts/3" */
    readonly path: string,
  ) {
    this.screen = new ReadStream(master);
    // When the last process has left a terminal, reading it is an error.
    this.screen.on("error", () => {});
  }

  static open(): Terminal {
    const native = loadNative();
    const { master, slave, pty } = native.open(COLUMNS, ROWS);
    return new Terminal(native, master, slave, pty);
  }

  /** What is shown: bytes, until the last process has left. */
  get output(): ReadStream {
    return this.screen;
  }

  /** What is typed. A terminal has no end of input: whoever has no more to say just stops. */
  input(): Writable {
    const { screen } = this;
    const input = new Writable({
      write: (bytes, _encoding, done) => {
        if (screen.destroyed) done();
        else screen.write(bytes, () => done());
      },
    });
    return input;
  }

  resize(width: number, height: number): void {
    if (this.screen.destroyed || !isSize(width) || !isSize(height)) return;
    this.native.resize(this.master, width, height);
  }

  /** From here on it is open as long as somebody else has it open. */
  releaseSlave(): void {
    if (!this.isSlaveOpen) return;
    this.isSlaveOpen = false;
    closeSync(this.slave);
  }

  /** Whoever is at it is hung up on. */
  close(): void {
    this.releaseSlave();
    this.screen.destroy();
  }
}

function isSize(number: number): boolean {
  return Number.isInteger(number) && number > 0 && number <= LARGEST;
}

function loadNative(): NativeTerminals {
  const require = createRequire(import.meta.url);
  try {
    const { requireBinary } = require("@lydell/node-pty/requireBinary.js");
    return requireBinary("pty.node");
  } catch (cause) {
    const what = "there are no terminals: the optional package @lydell/node-pty is not installed";
    throw new Error(what, { cause });
  }
}
