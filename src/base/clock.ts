/**
 * The base folder: time, randomness, assertions, logging. A file here knows nothing about
 * Kubernetes and imports only its neighbours and Node.
 *
 * Time is an argument: code that needs it takes a Clock. The composition root passes systemClock; a
 * test passes a ManualClock and advances it.
 */

export interface Timer {
  /** Does nothing if the task has already run. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds that never decrease. Only differences are meaningful. */
  monotonicMs(): number;
  /** Runs the task once, never before the delay has passed and never before schedule returns. */
  schedule(delayMs: number, task: () => void): Timer;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule: (delayMs, task) => new SystemTimer(delayMs, task),
};

/** If a timeout is longer than this, Node fires at once. Longer delays are waited for in parts. */
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
