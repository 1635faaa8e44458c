/**
 * Parses large YAML texts in threads, so that the server answers other requests meanwhile. One text
 * per user is parsed at a time, and users take turns: the texts of one user never delay those of
 * another by more than the text being parsed.
 */
import { type ReadYaml, yamlFromJson } from "../../../api/schema/yaml-text.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import { tooManyRequests } from "../read-body.ts";
import { tooManyValues } from "../values.ts";
import type { YamlOutcome } from "./read-yaml-text.ts";

export interface YamlOrder {
  readonly bytes: Uint8Array;
  readonly mostValues: number;
}

/** A thread that parses one text after the other. */
export interface YamlThread {
  /** Rejects if the thread has ended; it must not be used again then. */
  read(order: YamlOrder): Promise<YamlOutcome>;
  close(): void;
}

export interface YamlReaderOptions {
  readonly clock: Clock;
  readonly start: () => YamlThread;
}

interface Waiting {
  readonly order: YamlOrder;
  /** Whether the client still waits for the result. */
  readonly isWanted: () => boolean;
  readonly resolve: (outcome: YamlOutcome) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_THREADS = 2;
const MOST_WAITING_PER_USER = 100;
/** Close idle threads, because they take memory. */
const IDLE_MS = 30_000;

export class YamlReader {
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly inWork = new Set<string>();
  private readonly idle: YamlThread[] = [];
  private idleTimer: Timer | undefined;

  constructor(private readonly options: YamlReaderOptions) {}

  /** Rejects with 413 if the text has too many values, and with 429 if too many texts wait. */
  async read(user: string, order: YamlOrder, isWanted: () => boolean): Promise<ReadYaml> {
    const outcome = await this.enter(user, order, isWanted);
    if ("isTooLarge" in outcome) throw tooManyValues(order.mostValues);
    if ("problem" in outcome) return outcome;
    return yamlFromJson(outcome.json, outcome.repeatedKeys, outcome.isExact);
  }

  close(): void {
    this.idleTimer?.cancel();
    for (const thread of this.idle.splice(0)) thread.close();
  }

  private enter(user: string, order: YamlOrder, isWanted: () => boolean): Promise<YamlOutcome> {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(user) ?? [];
      if (queue.length >= MOST_WAITING_PER_USER) {
        reject(tooManyRequests());
        return;
      }
      queue.push({ order, isWanted, resolve, reject });
      this.waiting.set(user, queue);
      this.next();
    });
  }

  private next(): void {
    for (const [user, queue] of this.waiting) {
      if (this.inWork.size >= MOST_THREADS) return;
      if (this.inWork.has(user)) continue;
      const one = takeWanted(queue);
      if (queue.length === 0) this.waiting.delete(user);
      if (one) void this.work(user, one);
    }
  }

  private async work(user: string, { order, resolve, reject }: Waiting): Promise<void> {
    this.inWork.add(user);
    this.idleTimer?.cancel();
    const thread = this.idle.pop() ?? this.options.start();
    try {
      resolve(await thread.read(order));
      this.idle.push(thread);
    } catch (error) {
      thread.close();
      reject(error);
    }
    this.inWork.delete(user);
    this.comesLast(user);
    this.next();
    if (this.inWork.size === 0) {
      this.idleTimer = this.options.clock.schedule(IDLE_MS, () => this.close());
    }
  }

  private comesLast(user: string): void {
    const queue = this.waiting.get(user);
    if (!queue) return;
    this.waiting.delete(user);
    this.waiting.set(user, queue);
  }
}

function takeWanted(queue: Waiting[]): Waiting | undefined {
  for (let one = queue.shift(); one; one = queue.shift()) {
    if (one.isWanted()) return one;
    one.resolve({ problem: "nobody waits for it" });
  }
  return undefined;
}
