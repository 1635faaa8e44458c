/** The machine on which a command runs: input, output and signals. Tests have their own. */
import { fstatSync, readFileSync } from "node:fs";
import { availableParallelism, homedir, hostname, networkInterfaces } from "node:os";
import type { RunEnvironment } from "../api/run-environment.ts";
import { terminalText } from "../base/terminal-text.ts";
import { captureEnvironment } from "./capture-environment.ts";

export const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

export interface Environment {
  readonly [name: string]: string | undefined;
}

export interface Machine {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** For the environment of a run: also bytes that are not UTF-8, umask and limits. */
  readonly captureEnvironment: () => RunEnvironment;
  readonly home: string;
  readonly hostName: string;
  /** The addresses of all its networks. */
  readonly addresses: () => readonly string[];
  /** Whether this process may create network namespaces and connect them. */
  readonly canMakeNetworks: () => boolean;
  readonly writeOut: (text: string) => void;
  /** Resolves when more can be written. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
  /** For messages. Control characters are escaped. */
  readonly writeError: (text: string) => void;
  /** To stderr, unchanged: for colours and cursor movements of Tally itself. */
  readonly writeControls: (text: string) => void;
  /** Resolves when more can be written. */
  readonly writeErrorBytes: (bytes: Uint8Array) => Promise<void>;
  /** All of stdin. */
  readonly readInput: () => Promise<string>;
  readonly readInputBytes: () => Promise<Uint8Array>;
  /** Called when the reader of stdout is gone. */
  readonly onReaderGone: (listener: () => void) => void;
  /** Whether stderr is a terminal. */
  readonly hasReader: boolean;
  /** Whether stdout is a terminal. */
  readonly hasOutReader: boolean;
  /** Mode of the file that stdout is redirected to; undefined if it is not a regular file. */
  readonly outFileMode: () => number | undefined;
  /** The size of the terminal of stderr; [80, 24] if it is not a terminal. */
  readonly terminalSize: () => readonly [columns: number, rows: number];
  /**
   * Reports keys, including Ctrl-C, until the returned function is called; undefined if stdin is
   * not a terminal.
   */
  readonly onKey: (listener: (key: string) => void) => (() => void) | undefined;
  readonly processors: number;
  /** Returns the function that stops listening. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/** The exit code of a shell for a process that SIGPIPE has ended. */
export const READER_GONE = 141;

/** Exits when the reader of stdout is gone, as in "tally results | head". */
export function whileRead<T>(machine: Machine, command: Promise<T>): Promise<T> {
  machine.onReaderGone(() => machine.exit(READER_GONE));
  return command;
}

export function thisMachine(): Machine {
  const workingDirectory = process.cwd();
  // A server must not end because the reader of its output is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return {
    environment: process.env,
    workingDirectory,
    captureEnvironment: () => captureEnvironment(workingDirectory),
    home: homedir(),
    hostName: hostname(),
    addresses: ownAddresses,
    canMakeNetworks,
    writeOut: (text) => void process.stdout.write(process.stdout.isTTY ? terminalText(text) : text),
    writeBytes: (bytes) => writeTo(process.stdout, bytes),
    writeErrorBytes: (bytes) => writeTo(process.stderr, bytes),
    writeError: (text) => void process.stderr.write(terminalText(text)),
    writeControls: (text) => void process.stderr.write(text),
    readInput: async () => (await readInputBytes()).toString("utf8"),
    readInputBytes,
    onReaderGone: (listener) => void process.stdout.once("error", listener),
    hasReader: process.stderr.isTTY === true,
    hasOutReader: process.stdout.isTTY === true,
    outFileMode,
    terminalSize: () => [process.stderr.columns || 80, process.stderr.rows || 24],
    onKey,
    processors: availableParallelism(),
    onSignal,
    exit: (code) => process.exit(code),
  };
}

function outFileMode(): number | undefined {
  try {
    const out = fstatSync(process.stdout.fd);
    return out.isFile() ? out.mode & 0o777 : undefined;
  } catch {
    // It is closed.
    return undefined;
  }
}

async function writeTo(stream: NodeJS.WriteStream, bytes: Uint8Array): Promise<void> {
  if (stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      stream.off("drain", settle).off("error", settle);
      resolve();
    };
    stream.on("drain", settle).on("error", settle);
  });
}

function onKey(listener: (key: string) => void): (() => void) | undefined {
  const { stdin } = process;
  if (!stdin.isTTY) return undefined;
  const restore = () => stdin.setRawMode(false);
  const onData = (bytes: Buffer) => listener(bytes.toString("utf8"));
  stdin.setRawMode(true);
  process.on("exit", restore);
  stdin.on("data", onData);
  stdin.resume();
  return () => {
    process.off("exit", restore);
    restore();
    stdin.off("data", onData);
    stdin.pause();
  };
}

async function readInputBytes(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function ownAddresses(): readonly string[] {
  const networks = Object.values(networkInterfaces());
  return networks.flatMap((each) => each ?? []).map(({ address }) => address);
}

/** What Linux calls NET_ADMIN and SYS_ADMIN. */
const NEEDED = (1n << 12n) | (1n << 21n);

function canMakeNetworks(): boolean {
  try {
    const [, mask = "0"] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync(SELF, "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & NEEDED) === NEEDED;
  } catch {
    // Not Linux.
    return false;
  }
}

const SELF = "/proc/self/status";

function onSignal(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}
