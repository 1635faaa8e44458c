/** The inputs and terminals of containers that asked for some, from their start to their end. */
import { RunRefused, type RunRequest } from "../runtimes/runtime.ts";
import type { RunName, StartOrder } from "../spawner/protocol.ts";
import type { StreamsChild } from "./streams-child.ts";

const NEVER_RAN = 128;

export class HeldInputs {
  private readonly held = new Set<RunName>();

  constructor(private readonly child: Pick<StreamsChild, "ask" | "release">) {}

  /** The same order, with where the run finds its input or its terminal. */
  async prepare(order: StartOrder, wanted: RunRequest["input"] & object): Promise<StartOrder> {
    const { run, logFile } = order;
    const { stdin, tty, isOnce } = wanted;
    const news = await this.child.ask({ order: "hold", run, logFile, stdin, tty, isOnce });
    if (news.news === "refused") throw new RunRefused(NEVER_RAN, "StartError", news.message);
    if (news.news !== "held") throw new Error(`${news.news} instead of what is held`);
    this.held.add(run);
    const { stdinFile, terminal } = news;
    if (terminal === undefined) return stdinFile === undefined ? order : { ...order, stdinFile };
    const hasTerm = order.environment.some(([name]) => name === "TERM");
    const environment = hasTerm ? order.environment : [...order.environment, TERM];
    return { ...order, environment, terminal };
  }

  /** Runs of an earlier server: some may have been held. */
  recall(run: RunName): void {
    this.held.add(run);
  }

  ended(run: RunName): void {
    if (this.held.size > 0 && this.held.delete(run)) void this.child.release(run);
  }
}

const TERM: readonly [string, string] = ["TERM", "xterm"];
