/**
 * Runs a reconcile per key: so many at once and no more, first come first served, never the same
 * key twice at once, once more for a key that came up while it was worked on, later for one that
 * asked for it, and again after a failure with growing delays. A key says what to look at, never
 * what happened.
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
  /** An error is a retry; nothing is the same as done. */
  readonly reconcile: (key: string) => Promise<Outcome | undefined> | Promise<void>;
  /** How many keys at once; 5 unless said otherwise. */
  readonly workers?: number;
  /** The delays after failures; 50 ms to 30 s unless said otherwise. */
  readonly retry?: Backoff;
  /** Failures besides lost races that are retried without a warning. */
  readonly isExpected?: (error: unknown) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** As the metrics name it. */
  readonly name?: string;
}

const DEFAULT_WORKERS = 5;
const DEFAULT_RETRY: Backoff = { firstMs: 50, maxMs: 30_000 };
/** A key that loses this many races in a row has another problem, which is worth a warning. */
const TOO_MANY_RACES = 5;
/**
 * A client in this process answers without ever leaving the turn of the event loop: after so long
 * at a stretch others have theirs, requests from outside among them.
 */
const STRETCH_MS = 20;

interface Appointment {
  readonly dueMs: number;
  readonly timer: Timer;
  /** A retry is superseded by whatever runs the key before; an appointment asked for is kept. */
  readonly isRetry: boolean;
}

/** Of one key, in a row. */
interface Failures {
  readonly count: number;
  readonly last: unknown;
}

export class KeyedWorker {
  private readonly ready = new KeyQueue();
  /** What is being worked on, and since when. */
  private readonly busy = new Map<string, number>();
  /** Keys that came up while they were busy, and since when they wait. */
  private readonly again = new Map<string, number>();
  private readonly failures = new Map<string, Failures>();
  private readonly appointments = new Map<string, Appointment>();
  private readonly measure;
  /** Since when there was always another key to begin with. */
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

  /** As soon as a worker is free. A key that waits already is not added again. */
  add(key: string): void {
    if (this.stopped || this.ready.has(key) || this.again.has(key)) return;
    if (this.appointments.get(key)?.isRetry) this.cancel(key);
    const nowMs = this.options.clock.monotonicMs();
    if (this.busy.has(key)) this.again.set(key, nowMs);
    else this.ready.push(key, nowMs);
    this.measure.added();
    this.startReady();
  }

  /** Not before the delay is over, unless something else asks for it sooner: the earliest wins. */
  addAfter(key: string, delayMs: number): void {
    this.appoint(key, delayMs, false);
  }

  /** For a key whose object is gone or finished: its failures and its appointment are dropped. */
  forget(key: string): void {
    this.failures.delete(key);
    this.cancel(key);
  }

  /** What runs is left to end; nothing begins any more. */
  stop(): void {
    this.stopped = true;
    for (const { timer } of this.appointments.values()) timer.cancel();
    this.appointments.clear();
    this.resting?.cancel();
    this.removeDiagnostics?.();
  }

  /** Every key there is anything to do about, for diagnostics. */
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
