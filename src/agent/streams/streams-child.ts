/**
 * The server's way to the child that holds streams: finds the one that runs, or starts one. Until
 * somebody executes a command or attaches there is none, and nothing of this costs anything.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { packageFile } from "../../base/package-file.ts";
import { streamsAddress } from "./address.ts";
import { CONTROL, formatControl, splitFrames } from "./frames.ts";
import type { StreamNews, StreamOrder } from "./orders.ts";

export interface StreamsChildOptions {
  /** The agent's own. */
  readonly directory: string;
  readonly clock: Clock;
  /** The bundle of child/main.ts; absent: the one that comes with the package. */
  readonly childFile?: string;
}

const LONGEST_START_MS = 10_000;
const AGAIN_MS = 10;
/** Less room for what is young: each process is a fork of all its memory. */
const SMALL = ["--max-semi-space-size=1"];

export class StreamsChild {
  private starting: Promise<void> | undefined;

  constructor(private readonly options: StreamsChildOptions) {}

  /** A connection that is about this. */
  async open(order: StreamOrder): Promise<Socket> {
    const address = streamsAddress(this.options.directory);
    const socket = (await connect(address)) ?? (await this.startAndConnect(address));
    socket.on("error", () => {});
    socket.write(formatControl(order));
    return socket;
  }

  /** For an order with one answer. */
  async ask(order: StreamOrder): Promise<StreamNews> {
    const socket = await this.open(order);
    return new Promise((resolve, reject) => {
      let rest: Buffer = Buffer.alloc(0);
      socket.on("data", (piece: Buffer) => {
        const split = splitFrames(rest, piece);
        rest = split.rest;
        const answer = split.frames.find(({ kind }) => kind === CONTROL);
        if (answer === undefined) return;
        socket.destroy();
        resolve(JSON.parse(answer.bytes.toString("utf8")));
      });
      socket.on("close", () => reject(new Error("the child that holds streams is gone")));
    });
  }

  /** What was held for a run that is over; where nothing is there is nobody to tell. */
  async release(run: string): Promise<void> {
    const { directory } = this.options;
    if (!existsSync(join(directory, "streams-1.sock"))) return;
    const socket = await connect(streamsAddress(directory));
    socket?.on("error", () => {});
    socket?.on("data", () => {});
    socket?.end(formatControl({ order: "release", run } satisfies StreamOrder));
  }

  private async startAndConnect(address: string): Promise<Socket> {
    this.starting ??= this.start(address).finally(() => {
      this.starting = undefined;
    });
    await this.starting;
    const socket = await connect(address);
    if (!socket) throw new Error("the child that holds streams is gone");
    return socket;
  }

  private async start(address: string): Promise<void> {
    const { directory, clock, childFile = packageFile("dist", "streams.js") } = this.options;
    const log = openSync(join(directory, "streams.log"), "a", 0o600);
    const child = spawn(process.execPath, [...SMALL, childFile, directory], {
      // Terminals of containers outlive the server.
      detached: true,
      cwd: directory,
      stdio: ["ignore", "ignore", log],
    });
    closeSync(log);
    let problem: string | undefined;
    child.once("exit", (code) => {
      problem = `it ended with ${code}, see ${join(directory, "streams.log")}`;
    });
    child.once("error", (error) => {
      problem = error.message;
    });
    child.unref();
    const untilMs = clock.monotonicMs() + LONGEST_START_MS;
    for (;;) {
      const socket = await connect(address);
      socket?.destroy();
      if (socket) return;
      // One that ended at once may have found another, which is still on its way.
      if (clock.monotonicMs() > untilMs) {
        throw new Error(`the child that holds streams: ${problem ?? "it does not answer"}`);
      }
      await new Promise<void>((resolve) => clock.schedule(AGAIN_MS, resolve));
    }
  }
}

function connect(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}
