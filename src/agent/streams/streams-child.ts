/**
 * The server's way to the children that hold streams: finds those that run, or starts them. Until
 * somebody executes a command or attaches there is none, and nothing of this costs anything.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { withoutInherited } from "../../base/descriptors.ts";
import { packageFile } from "../../base/package-file.ts";
import { KINDS, kindOf, type StreamsKind, streamsAddress, streamsSocket } from "./address.ts";
import { CONTROL, formatControl, splitFrames } from "./frames.ts";
import type { HoldOrder, StreamNews, StreamOrder } from "./orders.ts";

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
  private readonly starting = new Map<StreamsKind, Promise<void>>();

  constructor(private readonly options: StreamsChildOptions) {}

  /** A connection that is about this. */
  async open(order: Exclude<StreamOrder, { order: "release" }>): Promise<Socket> {
    const kind = kindOf(order);
    const address = streamsAddress(this.options.directory, kind);
    const socket = (await connect(address)) ?? (await this.startAndConnect(kind, address));
    socket.on("error", () => {});
    socket.write(formatControl(order));
    return socket;
  }

  /** For an order with one answer. */
  async ask(order: HoldOrder): Promise<StreamNews> {
    const socket = await this.open(order);
    return new Promise((resolve, reject) => {
      onNews(socket, (news) => {
        socket.destroy();
        resolve(news);
      });
      socket.on("close", () => reject(new Error("the child that holds streams is gone")));
    });
  }

  /** What was held for a run that is over; where nothing is there is nobody to tell. */
  async release(run: string): Promise<void> {
    const { directory } = this.options;
    for (const kind of KINDS) {
      if (!existsSync(join(directory, streamsSocket(kind)))) continue;
      const socket = await connect(streamsAddress(directory, kind));
      socket?.on("error", () => {});
      socket?.on("data", () => {});
      socket?.end(formatControl({ order: "release", run } satisfies StreamOrder));
    }
  }

  private async startAndConnect(kind: StreamsKind, address: string): Promise<Socket> {
    const starting =
      this.starting.get(kind) ??
      this.start(kind, address).finally(() => {
        this.starting.delete(kind);
      });
    this.starting.set(kind, starting);
    await starting;
    const socket = await connect(address);
    if (!socket) throw new Error("the child that holds streams is gone");
    return socket;
  }

  private async start(kind: StreamsKind, address: string): Promise<void> {
    const { directory, clock, childFile = packageFile("dist", "streams.js") } = this.options;
    const logFile = join(directory, `${kind}.log`);
    const log = openSync(logFile, "a", 0o600);
    const child = withoutInherited(["ignore", "ignore", log], (stdio) =>
      // Terminals of containers outlive the server.
      spawn(process.execPath, [...SMALL, childFile, directory, kind], {
        detached: true,
        cwd: directory,
        stdio,
      }),
    );
    closeSync(log);
    let problem: string | undefined;
    child.once("exit", (code) => {
      problem = `it ended with ${code}, see ${logFile}`;
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

/** What a child says on a connection. */
export function onNews(socket: Socket, tell: (news: StreamNews) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    const split = splitFrames(rest, piece);
    rest = split.rest;
    for (const { kind, bytes } of split.frames) {
      if (kind === CONTROL) tell(JSON.parse(bytes.toString("utf8")));
    }
  });
}

function connect(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}
