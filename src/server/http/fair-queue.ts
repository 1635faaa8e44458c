/**
 * Decides which request is served next under load. Every client is a flow, and the flow that has
 * used the least server time comes first, so that a light client is served between two requests of
 * a heavy one. If no request waits, a new one is served at once.
 */

export interface FairQueueLimits {
  /** The maximum number of waiting requests per user. */
  readonly waitingPerUser: number;
  /** How long requests are served before newly received ones are read. */
  readonly turnMs: number;
}

export const FAIR_QUEUE_LIMITS: FairQueueLimits = { waitingPerUser: 1000, turnMs: 5 };

export interface Turns {
  readonly nowMs: () => number;
  /** Calls back after the requests received in the meantime have been read. */
  readonly afterReading: (callback: () => void) => void;
}

interface Flow {
  readonly waiting: (() => void)[];
  /** The server time that counts against this flow, compared with other waiting flows. */
  spentMs: number;
}

export class FairQueue {
  readonly #flows = new Map<string, Flow>();
  readonly #waitingOf = new Map<string, number>();
  /** A new or returning flow starts with the time of the flow that was served last. */
  #floorMs = 0;
  #turnMs = 0;
  #isInTurn = false;

  constructor(
    private readonly turns: Turns,
    private readonly limits: FairQueueLimits = FAIR_QUEUE_LIMITS,
  ) {}

  /** Serves now or later. False if too many requests of this user are already waiting. */
  enter(user: string, client: string, serve: () => void): boolean {
    const isFree = this.#flows.size === 0 && this.#turnMs < this.limits.turnMs;
    if (isFree) {
      this.#beginTurn();
      this.#run(serve);
      return true;
    }
    const waiting = this.#waitingOf.get(user) ?? 0;
    if (waiting >= this.limits.waitingPerUser) return false;
    this.#waitingOf.set(user, waiting + 1);
    const key = `${user}\n${client}`;
    const flow = this.#flows.get(key) ?? { waiting: [], spentMs: this.#floorMs };
    this.#flows.set(key, flow);
    flow.waiting.push(() => {
      this.#leave(user);
      serve();
    });
    this.#beginTurn();
    return true;
  }

  #leave(user: string): void {
    const waiting = (this.#waitingOf.get(user) ?? 1) - 1;
    if (waiting === 0) this.#waitingOf.delete(user);
    else this.#waitingOf.set(user, waiting);
  }

  #beginTurn(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.turns.afterReading(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isInTurn = false;
    this.#turnMs = 0;
    while (this.#turnMs < this.limits.turnMs) {
      const next = this.#poorest();
      if (!next) return;
      const [key, flow] = next;
      const serve = flow.waiting.shift();
      if (flow.waiting.length === 0) this.#flows.delete(key);
      this.#floorMs = flow.spentMs;
      if (serve) flow.spentMs += this.#run(serve);
    }
    if (this.#flows.size > 0) this.#beginTurn();
  }

  #poorest(): [string, Flow] | undefined {
    let poorest: [string, Flow] | undefined;
    for (const entry of this.#flows) {
      if (!poorest || entry[1].spentMs < poorest[1].spentMs) poorest = entry;
    }
    return poorest;
  }

  /** The time taken, never 0: otherwise one of many free requests would always come first. */
  #run(serve: () => void): number {
    const began = this.turns.nowMs();
    serve();
    const tookMs = Math.max(this.turns.nowMs() - began, LEAST_MS);
    this.#turnMs += tookMs;
    return tookMs;
  }
}

const LEAST_MS = 0.01;
