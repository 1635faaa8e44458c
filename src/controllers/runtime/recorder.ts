/**
 * Leaves events about objects, as kubectl describe shows them. An event is never worth a failed or
 * a delayed reconcile: it is queued, and what the server does not take is logged and given up.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Event } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { KubeObject } from "../../api/object.ts";
import { events } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import { type Backoff, backoffMs } from "../../base/backoff.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { type CorrelatedEvent, EventCorrelation } from "./event-correlation.ts";

export type EventType = "Normal" | "Warning";

export interface EventRecorder {
  /** Never fails and never waits. */
  event(about: KubeObject, type: EventType, reason: string, message: string): void;
  /** Everything recorded so far is written, or given up. */
  idle(): Promise<void>;
}

export interface RunningRecorder extends EventRecorder {
  /** What is not written yet never will be. */
  stop(): void;
}

export interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** As source.component names it: "job-controller". */
  readonly component: string;
}

export function openRecorder(options: RecorderOptions): RunningRecorder {
  return new QueueingRecorder(options);
}

/** Events that may wait to be written, and how many more if they are the first of their reason. */
const QUEUE_LIMIT = 1000;
const FIRSTS_LIMIT = 100_000;

const MAX_TRIES = 12;
const RETRY: Backoff = { firstMs: 500, maxMs: 10_000 };

class QueueingRecorder implements RunningRecorder {
  private readonly correlation = new EventCorrelation();
  private readonly newName: (objectName: string) => string;
  /** In order; a repetition of what still waits changes what waits. */
  private readonly queue = new Map<string, CorrelatedEvent>();
  private writing: Promise<void> | undefined;
  private pause: { readonly timer: Timer; readonly end: () => void } | undefined;
  private lost = 0;
  private isStopped = false;

  constructor(private readonly options: RecorderOptions) {
    this.newName = eventNames(options);
  }

  event(about: KubeObject, type: EventType, reason: string, message: string): void {
    if (this.isStopped) return;
    const event = this.compose(about, type, reason, message);
    const correlated = this.correlation.take(event, this.options.clock.monotonicMs());
    if (correlated) this.enqueue(correlated);
  }

  async idle(): Promise<void> {
    await this.writing;
  }

  stop(): void {
    this.isStopped = true;
    this.queue.clear();
    this.pause?.timer.cancel();
    this.pause?.end();
  }

  private compose(about: KubeObject, type: EventType, reason: string, message: string): Event {
    const { clock, component } = this.options;
    const { name = "", namespace, uid, resourceVersion } = about.metadata;
    const time = formatTime(clock.nowMs());
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: this.newName(name), namespace: namespace ?? "default" },
      involvedObject: {
        kind: about.kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        ...(uid === undefined ? {} : { uid }),
        apiVersion: about.apiVersion,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      reason,
      message,
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: "",
    };
  }

  private enqueue(next: CorrelatedEvent): void {
    const waiting = this.queue.get(next.key);
    const limit = next.isFirstOfReason ? FIRSTS_LIMIT : QUEUE_LIMIT;
    if (!waiting && this.queue.size >= limit) {
      this.lost += 1;
      return;
    }
    this.queue.set(next.key, waiting ? { ...next, isRepeat: waiting.isRepeat } : next);
    this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    // The reconcile that records goes on first.
    await Promise.resolve();
    for (const [key, next] of this.queue) {
      this.queue.delete(key);
      await this.write(next);
    }
    this.writing = undefined;
    if (this.lost === 0) return;
    this.options.log.warn("events lost: too many at once", { lost: this.lost });
    this.lost = 0;
  }

  private async write(next: CorrelatedEvent): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await put(this.options.client, next);
        return;
      } catch (error) {
        if (this.isStopped) return;
        if (tries === MAX_TRIES || !isPassing(error)) {
          this.logLoss(next.event, error);
          return;
        }
        await this.wait(backoffMs(RETRY, tries));
        if (this.isStopped) return;
      }
    }
  }

  private wait(delayMs: number): Promise<void> {
    return new Promise((end) => {
      this.pause = { timer: this.options.clock.schedule(delayMs, end), end };
    });
  }

  private logLoss({ involvedObject: about, reason }: Event, error: unknown): void {
    const fields = { namespace: about.namespace, name: about.name, reason, error };
    if (isExpected(error)) this.options.log.debug("event refused", fields);
    else this.options.log.warn("event lost", fields);
  }
}

/** "NAME.HEX" of the time in nanoseconds, no two alike, or a UUID where the name is too long. */
function eventNames({ clock, random }: RecorderOptions): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const now = BigInt(Math.floor(clock.nowMs())) * 1_000_000n + BigInt(random.below(1_000_000));
    last = now > last ? now : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return dns1123Subdomain(name).length === 0 ? name : random.uuid();
  };
}

async function put(client: Client, { event, isRepeat }: CorrelatedEvent): Promise<void> {
  if (isRepeat && (await patched(client, event))) return;
  await client.create(events, event);
}

/** An event lives for an hour: one that was counted on may be gone. */
async function patched(client: Client, event: Event): Promise<boolean> {
  const { name = "", namespace = "" } = event.metadata;
  const { count, lastTimestamp, message } = event;
  const body = { count, lastTimestamp, message };
  try {
    await client.patch(events, { namespace, name }, { type: "strategic", body });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "NotFound") return false;
    throw error;
  }
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 429 || error.code >= 500;
}

/** It was written by a try whose answer was lost, or its namespace is going. */
function isExpected(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const causes = error.status.details?.causes ?? [];
  const isGoing = causes.some(({ reason }) => reason === "NamespaceTerminating");
  return error.reason === "AlreadyExists" || isGoing;
}
