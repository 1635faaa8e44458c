/**
 * Who is served next when many ask at once. Every client is a flow, and the flow that had the least
 * of the server's time comes first: one that asks for little is served between two requests of one
 * that asks for much. As long as nobody has to wait a request is served at once.
 */

export interface FairQueueLimits {
  /** Requests of one user that may wait. */
  readonly waitingPerUser: number;
  /** How long requests are served before what else has come in is read. */
  readonly turnMs: number;
}

export const FAIR_QUEUE_LIMITS: FairQueueLimits = { waitingPerUser: 1000, turnMs: 5 };

export interface Turns {
  readonly nowMs: () => number;
  /** Calls back when what has come in meanwhile was read. */
  readonly afterReading: (callback: () => void) => void;
}

interface Flow {
  readonly waiting: (() => void)[];
  /** The time it has had, as far as it counts against those who wait. */
  spentMs: number;
}

export class FairQueue {
  readonly #flows = new Map<string, Flow>();
  readonly #waitingOf = new Map<string, number>();
  /** Who comes new, or back, has had as much as the one who was served last. */
  #floorMs = 0;
  #turnMs = 0;
  #isInTurn = false;

  constructor(
    private readonly turns: Turns,
    private readonly limits: FairQueueLimits = FAIR_QUEUE_LIMITS,
  ) {}

  /** Serves at once or later. False: too many requests of this user wait already. */
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

  /** How long it took, and never nothing: else one of many would always be first. */
  #run(serve: () => void): number {
    const began = this.turns.nowMs();
    serve();
    const tookMs = Math.max(this.turns.nowMs() - began, LEAST_MS);
    this.#turnMs += tookMs;
    return tookMs;
  }
}

const LEAST_MS = 0.01;
