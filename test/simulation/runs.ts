/**
 * What the Job controller can have known when it sends a request. A sync reads its caches and sends
 * its first request at the same moment; its later requests are based on the same state. From
 * outside, the syncs of one Job look like runs: each request is sent at the moment the one before
 * was answered.
 */
import type { ManualClock } from "../../src/base/manual-clock.ts";
import type { Call, Sight } from "./history.ts";

interface Run {
  readonly sights: Sight[];
  inFlight: number;
  hadTrouble: boolean;
  endedAtStep: number;
}

export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #seen = { jobs: 0, pods: 0 };
  readonly #instance = { startedAt: 0 };

  constructor(private readonly around: { readonly clock: ManualClock; step(): number }) {}

  saw(resource: string, revision: string): void {
    if (resource !== "jobs" && resource !== "pods") return;
    this.#seen[resource] = Math.max(this.#seen[resource], Number(revision));
    if (this.#instance.startedAt === 0) this.#instance.startedAt = Number(revision);
  }

  begin(about: string): Call {
    const { clock, step } = this.around;
    const known = this.#runs.get(about);
    const isOver = known?.inFlight === 0 && known.endedAtStep !== step();
    const run = known && !isOver ? known : newRun();
    this.#runs.set(about, run);
    run.inFlight++;
    const sight = { ...this.#seen, nowMs: clock.nowMs() };
    const last = run.sights.at(-1);
    const isNew = last?.jobs !== sight.jobs || last.pods !== sight.pods;
    if (isNew || last.nowMs !== sight.nowMs) run.sights.push(sight);
    const { hadTrouble } = run;
    return { sights: [...run.sights], run, hadTrouble, instance: this.#instance };
  }

  end(about: string, isTrouble: boolean): void {
    const run = this.#runs.get(about);
    if (!run) return;
    run.inFlight--;
    run.endedAtStep = this.around.step();
    if (isTrouble) run.hadTrouble = true;
  }
}

function newRun(): Run {
  return { sights: [], inFlight: 0, hadTrouble: false, endedAtStep: 0 };
}
