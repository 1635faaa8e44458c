/**
 * What every other folder may lean on: time, randomness, assertions, logging. A file here knows
 * nothing of Kubernetes and imports nothing but its neighbours and Node.
 *
 * Time is an argument. Whoever needs it takes a Clock; the composition root passes systemClock, a
 * test passes a ManualClock and moves it by hand.
 */

export interface Timer {
  /** Harmless when the task has already run. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds that never go back. Only differences mean something. */
  monotonicMs(): number;
  /** Runs the task once, never before the delay is over and never before schedule returns. */
  schedule(delayMs: number, task: () => void): Timer;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule: (delayMs, task) => new SystemTimer(delayMs, task),
};

/** Asked to wait longer than this, Node fires at once: a long delay is waited for in parts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  private handle: NodeJS.Timeout | undefined;

  constructor(delayMs: number, task: () => void) {
    this.wait(Math.max(0, delayMs), task);
  }

  private wait(delayMs: number, task: () => void): void {
    const partMs = Math.min(delayMs, LONGEST_TIMEOUT_MS);
    const restMs = delayMs - partMs;
    const next = restMs > 0 ? () => this.wait(restMs, task) : task;
    this.handle = setTimeout(next, Math.ceil(partMs));
  }

  cancel(): void {
    clearTimeout(this.handle);
  }
}
