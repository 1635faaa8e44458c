/**
 * Clients over HTTP record the answers they get while the server is killed at random moments. After
 * each restart the server must have every acknowledged write, complete with every field, continue
 * above all revisions that were given out, and never send a client only a part of the changes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { WrittenAttempts } from "./crash-ledger.ts";
import type { Life, Mortal } from "./crash-life.ts";
import { CONFIG_MAPS, WrittenObjects } from "./crash-objects.ts";
import { noFigures, Readers, type ReadFigures } from "./crash-readers.ts";

export interface CrashReport extends ReadFigures {
  readonly cycles: number;
  /** Kills before the server was ready: the next start must recover from an interrupted start. */
  readonly killedStarts: number;
  readonly acknowledged: number;
  readonly attempts: number;
  readonly comparedAttempts: number;
  readonly problems: readonly string[];
}

const WRITERS = 8;

export async function runCrashCycles(
  mortal: Mortal,
  { cycles, seed }: { readonly cycles: number; readonly seed: number },
): Promise<CrashReport> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "tally-crash-"));
  const world = new World(mortal, dataDir, seededRandom(seed));
  try {
    for (let cycle = 0; cycle < cycles; cycle++) await world.live(cycle);
    await world.compareAll();
    return { cycles, ...world.report() };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** One data directory through many lives of a server. */
class World {
  readonly #mortal: Mortal;
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #objects = new WrittenObjects();
  readonly #attempts = new WrittenAttempts();
  readonly #figures = noFigures();
  readonly #problems: string[] = [];
  #killedStarts = 0;
  #usualStartMs = 1000;

  constructor(mortal: Mortal, dataDir: string, random: Random) {
    this.#mortal = mortal;
    this.#dataDir = dataDir;
    this.#random = random;
  }

  report(): Omit<CrashReport, "cycles"> {
    return {
      ...this.#figures,
      killedStarts: this.#killedStarts,
      acknowledged: this.#objects.acknowledged,
      attempts: this.#attempts.acknowledged,
      comparedAttempts: this.#attempts.compared,
      problems: this.#problems,
    };
  }

  async live(cycle: number): Promise<void> {
    if (this.#random.below(4) === 0) await this.#dieEarly();
    const life = await this.#start();
    try {
      const found = await this.#liveUntilKilled(life);
      this.#problems.push(...found.map((problem) => `cycle ${cycle}: ${problem}`));
    } finally {
      await life.kill();
    }
  }

  async #liveUntilKilled(life: Life): Promise<readonly string[]> {
    const first = await this.#look(life);
    await this.#attempts.compare(life, this.#random.below);
    await this.#attempts.beginLife(life);
    const readers = await Readers.begin(life, first, this.#figures);
    this.#objects.beginLife();
    await this.#work(life, readers);
    this.#objects.compareEvents(await readers.compare());
    const found = [this.#objects.problems, this.#attempts.problems, readers.problems];
    return found.flatMap((problems) => problems.splice(0));
  }

  /** Compares everything that was ever acknowledged once more. */
  async compareAll(): Promise<void> {
    const life = await this.#start();
    await this.#look(life);
    await this.#attempts.compareAll(life);
    await life.kill();
    this.#problems.push(...this.#objects.problems, ...this.#attempts.problems);
  }

  /** Kills the server before it is ready, perhaps several times in a row. */
  async #dieEarly(): Promise<void> {
    for (let times = 1 + this.#random.below(3); times > 0; times--) {
      const afterMs = this.#random.below(Math.ceil(this.#usualStartMs * 1.2));
      await this.#mortal.startInVain(this.#dataDir, afterMs);
      this.#killedStarts++;
    }
  }

  async #start(): Promise<Life> {
    const beganMs = performance.now();
    const life = await this.#mortal.start(this.#dataDir);
    this.#usualStartMs = performance.now() - beganMs;
    return life;
  }

  /** Checks the objects after the restart, and that revisions and watches continue correctly. */
  async #look(life: Life) {
    const { items, metadata } = (await life.call("GET", CONFIG_MAPS)).json;
    const revision = Number(metadata.resourceVersion);
    const { highest } = this.#objects;
    const own = items.filter(({ data }: { data?: object }) => data && "sum" in data);
    this.#objects.compare(own);
    if (revision < highest) this.#objects.problems.push(`the revision fell to ${revision}`);
    if (highest > 0) await this.#lookBack(life, highest);
    return { revision, items };
  }

  /** A watch from before the crash may continue only if it cannot have missed anything. */
  async #lookBack(life: Life, from: number): Promise<void> {
    const watch = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${from}`;
    const { status, text } = await life.call("GET", watch);
    if (text.includes('"code":410')) return;
    this.#objects.problems.push(`a watch from ${from} got ${status} ${text.slice(0, 200)}`);
  }

  /** All clients work until a number of writes were acknowledged; then the server is killed. */
  async #work(life: Life, readers: Readers): Promise<void> {
    const { below } = this.#random;
    const target = this.#objects.acknowledged + 10 + below(120);
    let isAlive = true;
    const untilKilled = async (work: () => Promise<void>): Promise<void> => {
      while (isAlive) {
        let isCutOff = false;
        try {
          await work();
        } catch (error) {
          isCutOff = isAlive && (await isIdleConnectionClosed(error, life));
          if (isAlive && !isCutOff) throw error;
        }
        if (!isAlive || (!isCutOff && this.#objects.acknowledged < target)) continue;
        isAlive = false;
        await life.kill();
      }
    };
    const write = async (own: number): Promise<void> => {
      await this.#objects.write(life, own, below);
      if (below(25) === 0) await readers.resume(this.#objects.highest, below);
      if (below(40) === 0) await readers.readPages();
    };
    const workers = Array.from({ length: WRITERS }, (_, own) => () => write(own));
    workers.push(
      () => this.#attempts.write(life, below),
      () => this.#attempts.tellStory(life),
    );
    await Promise.all(workers.map(untilKilled));
  }
}

/**
 * The server closes idle connections, perhaps at the moment of the next request. The outcome of
 * that request is then as unknown as after a kill. A server that died on its own does not answer at
 * all.
 */
async function isIdleConnectionClosed(error: unknown, life: Life): Promise<boolean> {
  const { code } = Object(error) as { code?: string };
  if (code !== "ECONNRESET" && code !== "EPIPE") return false;
  const asked = life.call("GET", "/readyz", undefined, { Connection: "close" });
  return asked.then(
    ({ status }) => status === 200,
    () => false,
  );
}
