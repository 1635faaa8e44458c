/**
 * Runs a reconcile function per key. Keys run in the order in which they were added, a limited
 * number concurrently, and never two runs of the same key at once. A key that is added during its
 * own run runs once more afterwards. A reconcile may request a later run, and after a failure the
 * key is retried with growing delays. A key names the object to reconcile; it does not carry what
 * happened to it.
 */
import { isLostRace } from "../../api/errors.ts";
import { type Backoff, backoffMs } from "../../base/backoff.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log, LogFields } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { KeyQueue } from "./key-queue.ts";
import type { Outcome } from "./outcome.ts";
import { unmeasured, workQueueMetrics } from "./work-queue-metrics.ts";

export interface KeyedWorkerOptions {
  /** If it throws or rejects, the key is retried. Returning nothing means done. */
  readonly reconcile: (key: string) => Promise<Outcome | undefined> | Promise<void>;
  /** The number of concurrent reconciles; default 5. */
  readonly workers?: number;
  /** The delays after failures; by default 50 ms, growing to 30 s. */
  readonly retry?: Backoff;
  /** Tells which errors, besides update conflicts, are retried without a warning. */
  readonly isExpected?: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** The name used in metrics and diagnostics. */
  readonly name?: string;
}

const DEFAULT_WORKERS = 5;
const DEFAULT_RETRY: Backoff = { firstMs: 50, maxMs: 30_000 };
/**
 * After this many update conflicts in a row a key has some other problem, so a warning is logged.
 */
const TOO_MANY_RACES = 5;
/**
 * A client in this process answers without leaving the current turn of the event loop. After this
 * much uninterrupted work the worker yields, so that other work, such as requests from outside,
 * gets its turn.
 */
const STRETCH_MS = 20;

interface Appointment {
  readonly dueMs: number;
  readonly timer: Timer;
  /** A retry is cancelled if the key runs earlier for another reason; a requested run is kept. */
  readonly isRetry: boolean;
}

/** Consecutive failures of one key. */
interface Failures {
  readonly count: number;
  readonly last: unknown;
}

export class KeyedWorker {
  private readonly ready = new KeyQueue();
  /** The running keys, and when each started. */
  private readonly busy = new Map<string, number>();
  /** Keys that were added while they were running, and when. */
  private readonly again = new Map<string, number>();
  private readonly failures = new Map<string, Failures>();
  private readonly appointments = new Map<string, Appointment>();
  private readonly measure;
  /** Since when the queue has had work without interruption. */
  private stretchFromMs: number | undefined;
  private resting: Timer | undefined;
  private stopped = false;
  private readonly removeDiagnostics: (() => void) | undefined;

  constructor(private readonly options: KeyedWorkerOptions) {
    const { metrics, name = "unnamed" } = options;
    this.measure = metrics ? workQueueMetrics(metrics, name) : unmeasured;
    this.measure.follow(() => {
      const nowMs = options.clock.monotonicMs();
      return [...this.busy.values()].map((startMs) => nowMs - startMs);
    });
    this.removeDiagnostics = metrics?.diagnostics.add(`queue ${name}`, () => this.describe());
  }

  /** Runs the key as soon as a worker is free. A key that is already waiting is not added twice. */
  add(key: string): void {
    if (this.stopped || this.ready.has(key) || this.again.has(key)) return;
    if (this.appointments.get(key)?.isRetry) this.cancel(key);
    const nowMs = this.options.clock.monotonicMs();
    if (this.busy.has(key)) this.again.set(key, nowMs);
    else this.ready.push(key, nowMs);
    this.measure.added();
    this.startReady();
  }

  /** Runs the key after the delay. If several delays are requested, the earliest one wins. */
  addAfter(key: string, delayMs: number): void {
    this.appoint(key, delayMs, false);
  }

  /**
   * Call it when the object is gone or finished: drops the failures and the delayed run of the key.
   */
  forget(key: string): void {
    this.failures.delete(key);
    this.cancel(key);
  }

  /** Running reconciles may finish; no new ones start. */
  stop(): void {
    this.stopped = true;
    for (const { timer } of this.appointments.values()) timer.cancel();
    this.appointments.clear();
    this.resting?.cancel();
    this.removeDiagnostics?.();
  }

  /** Lists every running, queued and delayed key, for diagnostics. */
  private *describe(): Iterable<LogFields> {
    const nowMs = this.options.clock.monotonicMs();
    for (const [key, sinceMs] of this.busy) {
      yield { key, state: "running", forMs: nowMs - sinceMs, isDueAgain: this.again.has(key) };
    }
    for (const { key, sinceMs } of this.ready.list()) {
      yield { key, state: "queued", forMs: nowMs - sinceMs };
    }
    for (const [key, { dueMs, isRetry }] of this.appointments) {
      const { count = 0, last } = this.failures.get(key) ?? {};
      const failure = count > 0 ? { failures: count, error: last } : {};
      yield { key, state: isRetry ? "retry" : "scheduled", inMs: dueMs - nowMs, ...failure };
    }
  }

  private startReady(): void {
    const { clock, workers = DEFAULT_WORKERS } = this.options;
    while (!this.stopped && !this.resting && this.busy.size < workers) {
      const nowMs = clock.monotonicMs();
      this.stretchFromMs ??= nowMs;
      if (nowMs - this.stretchFromMs > STRETCH_MS) {
        this.rest();
        return;
      }
      const next = this.ready.shift();
      if (!next) {
        this.stretchFromMs = undefined;
        return;
      }
      this.measure.started(nowMs - next.sinceMs);
      this.busy.set(next.key, nowMs);
      void this.run(next.key, nowMs);
    }
  }

  private rest(): void {
    this.stretchFromMs = undefined;
    this.resting = this.options.clock.schedule(0, () => {
      this.resting = undefined;
      this.startReady();
    });
  }

  private async run(key: string, startMs: number): Promise<void> {
    const { clock, reconcile } = this.options;
    try {
      const outcome = await reconcile(key);
      this.failures.delete(key);
      if (outcome?.kind === "after") this.addAfter(key, outcome.delayMs);
    } catch (error) {
      this.retry(key, error);
    } finally {
      this.busy.delete(key);
      this.measure.ended(clock.monotonicMs() - startMs);
    }
    const sinceMs = this.again.get(key);
    if (sinceMs !== undefined) {
      this.again.delete(key);
      if (this.appointments.get(key)?.isRetry) this.cancel(key);
      this.ready.push(key, sinceMs);
    }
    this.startReady();
  }

  private retry(key: string, error: unknown): void {
    const failures = (this.failures.get(key)?.count ?? 0) + 1;
    this.failures.set(key, { count: failures, last: error });
    const { log, isExpected, retry = DEFAULT_RETRY } = this.options;
    const isUsual = isExpected?.(error) || (failures < TOO_MANY_RACES && isLostRace(error));
    log[isUsual ? "debug" : "warn"]("reconcile failed", { key, failures, error });
    this.appoint(key, backoffMs(retry, failures), true);
  }

  private appoint(key: string, delayMs: number, isRetry: boolean): void {
    if (this.stopped) return;
    this.measure.retried();
    const { clock } = this.options;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueMs = clock.monotonicMs() + delayMs;
    const earlier = this.appointments.get(key);
    if (earlier && earlier.dueMs <= dueMs) return;
    earlier?.timer.cancel();
    const timer = clock.schedule(delayMs, () => {
      this.appointments.delete(key);
      this.add(key);
    });
    this.appointments.set(key, { dueMs, timer, isRetry });
  }

  private cancel(key: string): void {
    this.appointments.get(key)?.timer.cancel();
    this.appointments.delete(key);
  }
}
