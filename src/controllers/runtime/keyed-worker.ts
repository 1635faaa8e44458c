/**
 * Runs a reconcile per key: never the same key twice at once, again after a failure with growing
 * delays, and once more for a key that came up while it was being worked on. A key says what to
 * look at, never what happened.
 */
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";

export interface KeyedWorkerOptions {
  readonly reconcile: (key: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 30_000;

export class KeyedWorker {
  private readonly busy = new Set<string>();
  private readonly again = new Set<string>();
  private readonly failures = new Map<string, number>();
  private readonly timers = new Map<string, Timer>();
  private stopped = false;

  constructor(private readonly options: KeyedWorkerOptions) {}

  add(key: string): void {
    if (this.stopped) return;
    if (this.busy.has(key)) {
      this.again.add(key);
      return;
    }
    this.timers.get(key)?.cancel();
    this.timers.delete(key);
    this.busy.add(key);
    void this.run(key);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) timer.cancel();
  }

  private async run(key: string): Promise<void> {
    try {
      await this.options.reconcile(key);
      this.failures.delete(key);
    } catch (error) {
      this.retry(key, error);
    } finally {
      this.busy.delete(key);
    }
    if (this.again.delete(key)) this.add(key);
  }

  private retry(key: string, error: unknown): void {
    const failures = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failures);
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    this.options.log.warn("reconcile failed", { key, failures, error: String(error) });
    if (this.stopped) return;
    this.timers.set(
      key,
      this.options.clock.schedule(delayMs, () => this.add(key)),
    );
  }
}
