/**
 * The inputs and terminals of containers, from before they begin until after they have ended,
 * whether anybody is attached or not. What a terminal shows goes to the container's log.
 *
 * An input is a FIFO: as long as it is held here the container waits for more, and when it is let
 * go the container has read all there is.
 */
import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { dirname, join } from "node:path";
import { STDOUT } from "../frames.ts";
import type { AttachOrder, HoldOrder, StreamNews } from "../orders.ts";
import { findSetsid } from "./exec.ts";
import { Fifo } from "./fifo.ts";
import type { Peer, Stream } from "./peer.ts";
import { Terminal } from "./terminal.ts";

type Held = Omit<Extract<StreamNews, { news: "held" }>, "news">;

interface Holding {
  readonly isOnce: boolean;
  readonly terminal?: Terminal;
  readonly fifo?: Fifo;
  readonly peers: Set<Peer>;
}

export class Holdings {
  private readonly held = new Map<string, Holding>();

  constructor(private readonly directory: string) {}

  get isEmpty(): boolean {
    return this.held.size === 0;
  }

  async hold(order: HoldOrder): Promise<Held> {
    const { run, isOnce } = order;
    this.release(run);
    const common = { isOnce, peers: new Set<Peer>() };
    if (order.tty) {
      const terminal = Terminal.open();
      this.held.set(run, { ...common, terminal });
      keepLog(terminal, order.logFile);
      return { terminal: { path: terminal.path, setsid: findSetsid() } };
    }
    const fifo = await Fifo.open(join(this.directory, `stdin-${encodeURIComponent(run)}`));
    this.held.set(run, { ...common, fifo });
    return { stdinFile: fifo.path };
  }

  attach(peer: Peer, order: AttachOrder): Stream {
    const holding = this.held.get(order.run);
    if (!holding) throw new Error("the container has neither an input nor a terminal");
    const { terminal, fifo, peers } = holding;
    peers.add(peer);
    if (order.stdin) {
      if (terminal) peer.feed(terminal.input());
      else if (fifo) peer.feed(fifo.input({ isLast: holding.isOnce }));
    }
    if (terminal) peer.forward(STDOUT, terminal.output);
    return {
      resize: (width, height) => terminal?.resize(width, height),
      close: () => {
        peers.delete(peer);
        if (order.stdin && holding.isOnce) fifo?.end();
      },
    };
  }

  release(run: string): void {
    const holding = this.held.get(run);
    if (!holding) return;
    this.held.delete(run);
    const { terminal, fifo, peers } = holding;
    fifo?.close();
    const tell = (): void => {
      for (const peer of peers) peer.end({ news: "over" });
    };
    if (!terminal) {
      tell();
      return;
    }
    // What it showed last is still to be read; then the terminal says that nobody is left.
    terminal.output.once("close", tell);
    terminal.releaseSlave();
  }
}

function keepLog(terminal: Terminal, logFile: string): void {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log: WriteStream = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  // A full disk costs the log and not the container.
  log.on("error", () => {});
  terminal.output.on("data", (bytes: Buffer) => {
    if (log.write(bytes) || log.destroyed) return;
    terminal.output.pause();
    log.once("drain", () => terminal.output.resume());
  });
  terminal.output.once("close", () => log.end());
}
