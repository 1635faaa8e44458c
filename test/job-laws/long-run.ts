/** Judges very many seeds in several processes, one portion at a time. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type BrokenLaw, type Judged, MOST_BROKEN, type Portion } from "./portion.ts";
import type { Progress } from "./progress.ts";

export interface LongRun {
  /** The compiled child.ts. */
  readonly child: string;
  /** The total, including those already judged. */
  readonly histories: number;
  readonly processes: number;
  readonly portionSize: number;
  readonly progress: Progress;
  /** Called immediately: the run may be killed before its end. */
  readonly onBroken: (broken: BrokenLaw) => void;
}

/** Ends early if too many seeds break a law. */
export async function runLong(run: LongRun): Promise<void> {
  const missing = portionsOf(run).filter(({ first }) => !run.progress.has(first));
  const found = { broken: 0 };
  const workers = Array.from({ length: run.processes }, () => work(run, missing, found));
  const results = await Promise.allSettled(workers);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function portionsOf({ histories, portionSize, progress }: LongRun): Portion[] {
  return Array.from({ length: Math.ceil(histories / portionSize) }, (_, at) => ({
    first: progress.firstSeed + at * portionSize,
    count: Math.min(portionSize, histories - at * portionSize),
  }));
}

async function work(run: LongRun, missing: Portion[], found: { broken: number }): Promise<void> {
  const child = fork(run.child, { execArgv: ["--max-semi-space-size=32"] });
  try {
    for (let portion = missing.shift(); portion; portion = missing.shift()) {
      const judged = await ask(child, portion);
      for (const each of judged.broken) run.onBroken(each);
      found.broken += judged.broken.length;
      if (found.broken >= MOST_BROKEN) missing.length = 0;
      if (judged.count === portion.count) run.progress.add(judged);
    }
  } finally {
    child.kill("SIGKILL");
  }
}

async function ask(child: ChildProcess, portion: Portion): Promise<Judged> {
  const settled = new AbortController();
  const { signal } = settled;
  child.send(portion);
  try {
    const answer = once(child, "message", { signal }).then(([judged]) => judged as Judged);
    const death = once(child, "exit", { signal }).then(([code, killedBy]) => {
      const { first, count } = portion;
      throw new Error(`exit ${code ?? killedBy} with the seeds ${first} to ${first + count - 1}`);
    });
    return await Promise.race([answer, death]);
  } finally {
    settled.abort();
  }
}
