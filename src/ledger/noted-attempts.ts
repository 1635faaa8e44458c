/** Pure: collects the attempts of one Job for its ledger, each once, up to a limit. */
import type { PlacedAttempt } from "./attempt.ts";
import { isFailure, type JobLedger } from "./job-ledger.ts";

/**
 * The limit for failures, and separately for all other attempts: more would not fit into an object.
 */
const MOST_ATTEMPTS = 5_000;

export class NotedAttempts {
  /** By pod and run, in order of insertion. */
  private failures = new Map<string, PlacedAttempt>();
  private others = new Map<string, PlacedAttempt>();
  private isCut = false;
  /** Whether there are attempts that were not returned by take() yet. */
  isNew = false;

  add(placed: PlacedAttempt): void {
    this.keep(placed);
    this.isNew = true;
  }

  /** Adds the stored attempts before all collected ones. */
  addEarlier({ attempts, isCut }: JobLedger): void {
    const later = this.take();
    this.failures = new Map();
    this.others = new Map();
    for (const placed of [...attempts, ...later.attempts]) this.keep(placed);
    this.isCut ||= isCut;
    const known = new Set(attempts.map(keyOf));
    this.isNew = later.attempts.some((placed) => !known.has(keyOf(placed)));
  }

  /** The attempts in the order in which they ended. */
  take(): JobLedger {
    this.isNew = false;
    const attempts = [...this.failures.values(), ...this.others.values()];
    return { attempts: attempts.toSorted(byEnd), isCut: this.isCut };
  }

  private keep(placed: PlacedAttempt): void {
    const kept = isFailure(placed) ? this.failures : this.others;
    const key = keyOf(placed);
    kept.delete(key);
    kept.set(key, placed);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_ATTEMPTS) return;
      kept.delete(oldest);
      this.isCut = true;
    }
  }
}

function keyOf({ attempt, run }: PlacedAttempt): string {
  return `${attempt.podUID} ${run}`;
}

function byEnd({ attempt: one }: PlacedAttempt, { attempt: other }: PlacedAttempt): number {
  const [a, b] = [one.endTime ?? "", other.endTime ?? ""];
  return a === b ? 0 : a < b ? -1 : 1;
}
