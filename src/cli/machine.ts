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
  readonly writeError: (text: string) => void;
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
    writeError: (text) => void process.stderr.write(text),
    hasReader: process.stderr.isTTY === true,
    onSignal,
    exit: (code) => process.exit(code),
  };
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
