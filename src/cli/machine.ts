/** The machine as a command sees it: what it reads, writes and is told. A test brings its own. */
import { homedir, hostname, networkInterfaces } from "node:os";

export const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

export interface Environment {
  readonly [name: string]: string | undefined;
}

export interface Machine {
  readonly environment: Environment;
  readonly workingDirectory: string;
  readonly home: string;
  readonly hostName: string;
  /** Of all its networks. */
  readonly addresses: () => readonly string[];
  readonly writeOut: (text: string) => void;
  /** Settles when there is room for more. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
  /** All of stdin. */
  readonly readInput: () => Promise<string>;
  /** Nobody reads stdout any more. */
  readonly onReaderGone: (listener: () => void) => void;
  /** Whether a person reads what is written to stderr. */
  readonly hasReader: boolean;
  /** Answers with the way to stop listening. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

export function thisMachine(): Machine {
  // Whoever read our output may be gone: that is no reason for a server to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return {
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
    hostName: hostname(),
    addresses: ownAddresses,
    writeOut: (text) => void process.stdout.write(text),
    writeBytes,
    writeError: (text) => void process.stderr.write(text),
    readInput,
    onReaderGone: (listener) => void process.stdout.once("error", listener),
    hasReader: process.stderr.isTTY === true,
    onSignal,
    exit: (code) => process.exit(code),
  };
}

async function writeBytes(bytes: Uint8Array): Promise<void> {
  if (process.stdout.write(bytes)) return;
  await new Promise((resolve) => {
    process.stdout.once("drain", resolve);
    process.stdout.once("error", resolve);
  });
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function ownAddresses(): readonly string[] {
  const networks = Object.values(networkInterfaces());
  return networks.flatMap((each) => each ?? []).map(({ address }) => address);
}

function onSignal(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}
