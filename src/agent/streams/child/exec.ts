/** A command beside a container's run, its streams connected to whoever asked for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { constants as system } from "node:os";
import { type Readable, Writable } from "node:stream";
import { findExecutable } from "../../spawner/executable.ts";
import { sendSignal } from "../../spawner/processes.ts";
import { MARKER } from "../../spawner/script.ts";
import { STDERR, STDOUT } from "../frames.ts";
import type { ExecOrder } from "../orders.ts";
import type { Peer, Stream } from "./peer.ts";

/** How long what it left behind may be silent and keep its outputs open. */
const QUIET_LOOKS = 10;
const LOOK_MS = 100;
/** From hanging up to SIGKILL. */
const GRACE_MS = 1000;
const SIGNAL_BASE = 128;

export function execute(peer: Peer, order: ExecOrder): Promise<Stream> {
  const { terminal, ...rest } = order;
  const found = findExecutable({ ...rest, order: "start", logFile: "/dev/null" });
  if ("refusal" in found) throw new Error(found.refusal.message);
  if (terminal !== undefined) return onTerminal(peer, order, terminal);
  return onPipes(peer, order, found.executable);
}

function onPipes(peer: Peer, order: ExecOrder, executable: string): Promise<Stream> {
  const [argv0 = "", ...args] = order.command;
  const child = spawn(executable, args, {
    argv0,
    cwd: order.directory,
    env: environmentOf(order),
    // A group of its own: what it starts is ended with it.
    detached: true,
    stdio: [order.stdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  return begun(child, () => {
    const { stdin, stdout, stderr } = child;
    peer.feed(stdin ?? nowhere());
    if (stdout) peer.forward(STDOUT, stdout);
    if (stderr) peer.forward(STDERR, stderr);
    tellEnd(peer, exitOf(child), [stdout, stderr]);
    return { resize: () => {}, close: () => endGroup(child) };
  });
}

/** The other child shows the terminal; here is only the command that runs on it. */
function onTerminal(peer: Peer, order: ExecOrder, terminal: string): Promise<Stream> {
  const slave = openSync(terminal, constants.O_RDWR | constants.O_NOCTTY);
  const child = spawn(findSetsid(), ["-c", ...order.command], {
    cwd: order.directory,
    env: { TERM: "xterm", ...environmentOf(order) },
    stdio: [slave, slave, slave],
  });
  closeSync(slave);
  return begun(child, () => {
    peer.tell({ news: "begun" });
    void exitOf(child).then((exitCode) => peer.end({ news: "exit", exitCode }));
    return { resize: () => {}, close: () => endGroup(child) };
  });
}

export function nowhere(): Writable {
  return new Writable({ write: (_bytes, _encoding, done) => done() });
}

/** Makes a process the master of the terminal on its input. */
export function findSetsid(): string {
  const found = ["/usr/bin/setsid", "/bin/setsid"].find((path) => existsSync(path));
  if (found === undefined) throw new Error("there are no terminals: the program setsid is missing");
  return found;
}

function environmentOf({ environment, run }: ExecOrder): { [name: string]: string } {
  const outer = process.env[MARKER];
  const marker = outer === undefined ? run : `${outer} ${run}`;
  return { ...Object.fromEntries(environment), [MARKER]: marker };
}

function begun(child: ChildProcess, connect: () => Stream): Promise<Stream> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(connect()));
  });
}

/** Its end is told after all that it printed; what it left running does not hold that up. */
export function tellEnd(
  peer: Peer,
  exited: Promise<number>,
  outputs: readonly (Readable | null)[],
): void {
  let exitCode: number | undefined;
  let quietLooks = 0;
  let waiting: NodeJS.Timeout | undefined;
  const open = new Set(outputs.filter((output) => output !== null));
  const tell = (): void => {
    clearInterval(waiting);
    if (exitCode !== undefined) peer.end({ news: "exit", exitCode });
  };
  for (const output of open) {
    output.on("data", () => {
      quietLooks = 0;
    });
    output.once("close", () => {
      open.delete(output);
      if (open.size === 0) tell();
    });
  }
  void exited.then((code) => {
    exitCode = code;
    if (open.size === 0) tell();
    waiting = setInterval(() => {
      // What is held up by whoever reads it is not silent.
      const isHeldUp = peer.isSlow || [...open].some((output) => output.isPaused());
      quietLooks = isHeldUp ? 0 : quietLooks + 1;
      if (quietLooks > QUIET_LOOKS) tell();
    }, LOOK_MS);
  });
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? SIGNAL_BASE + signalNumber(signal)));
  });
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : (system.signals[signal] ?? 0);
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || isOver(child)) return;
  sendSignal(-pid, "SIGHUP");
  setTimeout(() => {
    if (!isOver(child)) sendSignal(-pid, "SIGKILL");
  }, GRACE_MS);
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
