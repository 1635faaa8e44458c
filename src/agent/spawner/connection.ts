/**
 * A server's way to its spawner: finds the one that runs, or starts one. That is the only process
 * a server makes, once.
 */
import { createConnection, type Socket } from "node:net";
import type { Clock, Timer } from "../../base/clock.ts";
import { ensureOwnFolder } from "../../base/own-directory.ts";
import { socketAddress } from "./address.ts";
import { type Capabilities, type News, type Order, splitLines } from "./protocol.ts";
import { type SpawnerBuild, type Started, startSpawner, takeEarly } from "./start.ts";

export interface ConnectionOptions extends SpawnerBuild {
  readonly directory: string;
  readonly clock: Clock;
  readonly onNews: (news: News) => void;
  /** It went away without being asked to. */
  readonly onLoss: () => void;
}

/** From the start of the process to its greeting takes a tenth of a second. */
const LONGEST_WAIT_MS = 20_000;
const AGAIN_MS = 10;

/** How long what nobody waits for may wait for company. */
const LATER_MS = 50;

export class Connection {
  private outgoing = "";
  private isDue = false;
  private later: Timer | undefined;
  private isClosed = false;

  private constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    public can: Capabilities,
  ) {}

  static async open(options: ConnectionOptions): Promise<Connection> {
    const { clock } = options;
    const untilMs = clock.monotonicMs() + LONGEST_WAIT_MS;
    // It is given the environment of each run.
    ensureOwnFolder(options.directory);
    const address = socketAddress(options.directory);
    let started: Started | undefined = takeEarly(options.directory);
    for (;;) {
      const socket = await connect(address);
      const connection = socket && (await Connection.greet(socket, options));
      if (connection !== undefined) return connection;
      if (clock.monotonicMs() > untilMs) {
        throw new Error(`the spawner does not answer${started ? `: ${started.problem()}` : ""}`);
      }
      if (socket === undefined && (started === undefined || started.isOver())) {
        started = startSpawner(options.directory, options);
      }
      await new Promise<void>((resolve) => clock.schedule(AGAIN_MS, resolve));
    }
  }

  /** What is asked for in one turn is one write. */
  send(order: Order): void {
    this.outgoing += `${JSON.stringify(order)}\n`;
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.flush());
  }

  /** With the next that is sent, or after a while: each write wakes the spawner. */
  sendLater(order: Order): void {
    this.outgoing += `${JSON.stringify(order)}\n`;
    this.later ??= this.clock.schedule(LATER_MS, () => this.flush());
  }

  /** The spawner has found out that pods reach nothing beyond this machine. */
  lose(noWayOut: string): void {
    this.can = { ...this.can, sandbox: { ...this.can.sandbox, noWayOut } };
  }

  close(): void {
    this.flush();
    this.isClosed = true;
    this.socket.end();
    this.socket.unref();
  }

  private flush(): void {
    this.isDue = false;
    this.later?.cancel();
    this.later = undefined;
    if (this.outgoing !== "" && !this.isClosed) this.socket.write(this.outgoing);
    this.outgoing = "";
  }

  /** Undefined: it was another version's, and is gone now. */
  private static greet(
    socket: Socket,
    { version, clock, onNews, onLoss }: ConnectionOptions,
  ): Promise<Connection | undefined> {
    return new Promise((resolve) => {
      let connection: Connection | undefined;
      let rest = "";
      socket.setEncoding("utf8");
      socket.on("data", (text: string) => {
        const split = splitLines(rest, text);
        rest = split.rest;
        for (const line of split.lines) {
          const news: News = JSON.parse(line);
          if (news.news === "greeting") {
            connection = new Connection(socket, clock, news.can);
            resolve(connection);
          } else {
            onNews(news);
          }
        }
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        if (connection === undefined) resolve(undefined);
        else if (!connection.isClosed) onLoss();
      });
      socket.write(`${JSON.stringify({ order: "greet", version } satisfies Order)}\n`);
    });
  }
}

function connect(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}
