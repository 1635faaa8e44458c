/**
 * A server's way to its spawner: finds the one that runs, or starts one. This is the only place
 * where the server makes a process, and it does so once.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock, Timer } from "../../base/clock.ts";
import { socketAddress } from "./address.ts";
import { type Capabilities, type News, NO_CGROUPS, type Order, splitLines } from "./protocol.ts";

export interface ConnectionOptions {
  readonly directory: string;
  /** The bundle of main.ts. */
  readonly spawnerFile: string;
  /** Of the bundle: a spawner of another one is asked to retire. */
  readonly version: string;
  /** Another answer is another version. */
  readonly usesCgroups: boolean;
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
    readonly can: Capabilities,
  ) {}

  static async open(options: ConnectionOptions): Promise<Connection> {
    const { clock } = options;
    const untilMs = clock.monotonicMs() + LONGEST_WAIT_MS;
    const address = socketAddress(options.directory);
    let started: Started | undefined;
    for (;;) {
      const socket = await connect(address);
      const connection = socket && (await Connection.greet(socket, options));
      if (connection !== undefined) return connection;
      if (clock.monotonicMs() > untilMs) {
        throw new Error(`the spawner does not answer${started ? `: ${started.problem()}` : ""}`);
      }
      if (socket === undefined && (started === undefined || started.isOver())) {
        started = startSpawner(options);
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

interface Started {
  isOver(): boolean;
  problem(): string;
}

/** Less room for what is young: each slot is a fork of all its memory. */
const SMALL = ["--max-semi-space-size=1"];

function startSpawner(options: ConnectionOptions): Started {
  const { directory, spawnerFile, version, usesCgroups } = options;
  const log = openSync(join(directory, "spawner.log"), "a", 0o600);
  const args = [directory, version, ...(usesCgroups ? [] : [NO_CGROUPS])];
  const child = spawn(process.execPath, [...SMALL, spawnerFile, ...args], {
    // Neither the end of the server nor an interrupt at its terminal is one of the runs.
    detached: true,
    cwd: directory,
    stdio: ["ignore", "ignore", log],
  });
  closeSync(log);
  let problem: string | undefined;
  child.once("exit", (code, signal) => {
    problem = `it ended with ${signal ?? code}, see ${join(directory, "spawner.log")}`;
  });
  child.once("error", (error) => {
    problem = error.message;
  });
  child.unref();
  return { isOver: () => problem !== undefined, problem: () => problem ?? "it is not up yet" };
}
