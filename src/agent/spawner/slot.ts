/**
 * A process that stays: it reads one task after the other from its standard input and runs each in
 * a child. It is a compiled program (native/slot.c), or a shell that reads scripts (script.ts). It
 * leads a process group, so that one signal reaches a whole tree. If the spawner dies, it finishes
 * the task it has, notes how that ended in its own file, and leaves.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  truncateSync,
  unlinkSync,
} from "node:fs";
import { bytesOfText, hasEscapedBytes } from "../../base/byte-text.ts";
import { packageFile } from "../../base/package-file.ts";
import { findStatus } from "./outcome.ts";
import { findTicks } from "./processes.ts";
import { splitLines } from "./protocol.ts";
import type { SlotIdentity } from "./records.ts";
import { MARKER, SLOT_PREAMBLE } from "./script.ts";

export interface SlotEvents {
  readonly onEnd: (slot: Slot, number: number, status: number) => void;
  /** The shell itself is gone; a run it had is not told of. */
  readonly onDeath: (slot: Slot) => void;
}

export type SlotKind = "compiled" | "shell";

export interface SlotOptions extends SlotEvents {
  readonly kind?: SlotKind;
  readonly name: string;
  readonly file: string;
  readonly boot: string;
  /** What starts the shell; absent: it is started as it is. */
  readonly prefix?: readonly string[];
}

export class Slot {
  readonly identity: SlotIdentity;
  readonly kind: SlotKind;
  /** Whether its birth is on record. */
  isRecorded = false;
  private readonly shell: ChildProcess;
  private readonly file: string;
  private runs = 0;
  private rest = "";

  constructor(options: SlotOptions) {
    const { name, file, boot, prefix = [], kind = "shell", onEnd, onDeath } = options;
    this.file = file;
    this.kind = kind;
    const notes = openSync(file, "a", 0o600);
    const outer = process.env[MARKER];
    const own = kind === "compiled" ? [COMPILED_SLOT] : [SHELL, "-s"];
    const [program = "", ...args] = [...prefix, ...own];
    this.shell = spawn(program, args, {
      detached: true,
      env: outer === undefined ? {} : { [MARKER]: outer },
      cwd: "/",
      stdio: ["pipe", "pipe", notes],
    });
    closeSync(notes);
    const { pid } = this.shell;
    if (pid === undefined) {
      this.shell.once("error", () => {});
      throw new Error("no slot: out of processes or files");
    }
    this.identity = { slot: name, pid, ticks: findTicks(pid) ?? "", boot };
    this.shell.once("exit", () => onDeath(this));
    this.shell.once("error", () => onDeath(this));
    // A dead shell is told of by its exit; what could not be written to it matters to nobody.
    this.shell.stdin?.on("error", () => {});
    this.shell.stdout?.on("error", () => {});
    this.shell.stdout?.setEncoding("latin1").on("data", (text: string) => {
      const { lines, rest } = splitLines(this.rest, text);
      this.rest = rest;
      for (const line of lines) {
        const [number, status] = line.split(" ");
        onEnd(this, Number(number), Number(status));
      }
    });
    if (kind === "shell") this.shell.stdin?.write(SLOT_PREAMBLE);
  }

  run(task: string | Buffer): void {
    this.runs++;
    this.write(task);
  }

  /** What is no run: its output is said to `onEnd`. */
  write(text: string | Buffer): void {
    const isText = typeof text === "string" && !hasEscapedBytes(text);
    this.shell.stdin?.write(isText || typeof text !== "string" ? text : bytesOfText(text));
  }

  /** What the shell said before it told the status of a run. */
  remarksOn(number: number): string {
    return findStatus(this.notes(), number)?.remarks ?? "";
  }

  /** Also for a shell that died: what it said last. */
  notes(): string {
    return readNotes(this.file)?.text ?? "";
  }

  get isFileLong(): boolean {
    return this.runs >= RUNS_PER_FILE;
  }

  /** Between two runs, when all it says is on record. */
  emptyFile(): void {
    this.runs = 0;
    truncateSync(this.file, 0);
  }

  /** It leaves once it has read what it was given. */
  dismiss(): void {
    this.shell.stdin?.end();
  }
}

export const SHELL = existsSync("/bin/dash") ? "/bin/dash" : "/bin/sh";
const COMPILED_SLOT = packageFile("dist", "slot");
const RUNS_PER_FILE = 512;

/** Compiled slots are used if the program was built and runs on this machine. */
export function findSlotKind(environment = process.env): SlotKind {
  if (environment[SLOTS] === "shell" || !existsSync(COMPILED_SLOT)) return "shell";
  const { status } = spawnSync(COMPILED_SLOT, ["check"], { stdio: "ignore" });
  return status === 0 ? "compiled" : "shell";
}

/** "shell" prefers shells. */
export const SLOTS = "TALLY_SLOTS";

/** The file of a slot, and when it was last written to. */
export function readNotes(file: string): { text: string; writtenMs: number } | undefined {
  try {
    const opened = openSync(file, "r");
    try {
      const { size, mtimeMs } = fstatSync(opened);
      const bytes = Buffer.alloc(size);
      const length = readSync(opened, bytes, 0, size, 0);
      return { text: bytes.toString("utf8", 0, length), writtenMs: Math.round(mtimeMs) };
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined;
  }
}

export function removeNotes(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Gone already.
  }
}
