/**
 * Leaves events about objects, as kubectl describe shows them. An event is never worth a failed or
 * a delayed reconcile: it is queued, and what the server does not take is logged and given up.
 */
import type { Client } from "../../api/client.ts";
import { ApiError, isNamespaceTerminating } from "../../api/errors.ts";
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
  /** Never fails and never waits. The path is that of a part: "spec.containers{main}". */
  event(
    about: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    fieldPath?: string,
  ): void;
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

/**
 * Over the wire a write is mostly waiting: of so many objects events are written at once. Of few,
 * because they share connections and the limit of requests with the work that they tell of.
 */
const WRITERS = 2;

const MAX_TRIES = 12;
const RETRY: Backoff = { firstMs: 500, maxMs: 10_000 };

interface Pause {
  readonly timer: Timer;
  readonly end: () => void;
}

class QueueingRecorder implements RunningRecorder {
  private readonly correlation = new EventCorrelation();
  private readonly newName: (objectName: string) => string;
  /** In order; a repetition of what still waits changes what waits. */
  private readonly queue = new Map<string, CorrelatedEvent>();
  /** Objects an event of which is being written: the events of one are written in order. */
  private readonly busy = new Set<string>();
  private readonly writers = new Set<Promise<void>>();
  private readonly pauses = new Set<Pause>();
  private lost = 0;
  private isStopped = false;

  constructor(private readonly options: RecorderOptions) {
    this.newName = eventNames(options);
  }

  event(
    about: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    fieldPath?: string,
  ): void {
    if (this.isStopped) return;
    const plain = this.compose(about, type, reason, message);
    const event =
      fieldPath === undefined
        ? plain
        : { ...plain, involvedObject: { ...plain.involvedObject, fieldPath } };
    const correlated = this.correlation.take(event, this.options.clock.monotonicMs());
    if (correlated) this.enqueue(correlated);
  }

  async idle(): Promise<void> {
    while (this.writers.size > 0) await Promise.all(this.writers);
  }

  stop(): void {
    this.isStopped = true;
    this.queue.clear();
    for (const { timer, end } of this.pauses) {
      timer.cancel();
      end();
    }
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
    if (this.writers.size >= WRITERS) return;
    const writer = this.writeSome().finally(() => {
      this.writers.delete(writer);
      if (this.writers.size === 0) this.reportLost();
    });
    this.writers.add(writer);
  }

  private async writeSome(): Promise<void> {
    // The reconcile that records goes on first.
    await Promise.resolve();
    for (let next = this.takeFree(); next; next = this.takeFree()) {
      const object = objectOf(next);
      this.busy.add(object);
      await this.write(next);
      this.busy.delete(object);
    }
  }

  private takeFree(): CorrelatedEvent | undefined {
    for (const [key, next] of this.queue) {
      if (this.busy.has(objectOf(next))) continue;
      this.queue.delete(key);
      return next;
    }
    return undefined;
  }

  private reportLost(): void {
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
    return new Promise((resolve) => {
      const end = () => {
        this.pauses.delete(pause);
        resolve();
      };
      const pause: Pause = { timer: this.options.clock.schedule(delayMs, end), end };
      this.pauses.add(pause);
    });
  }

  private logLoss({ involvedObject: about, reason }: Event, error: unknown): void {
    const fields = { namespace: about.namespace, name: about.name, reason, error };
    if (isExpected(error)) this.options.log.debug("event refused", fields);
    else this.options.log.warn("event lost", fields);
  }
}

function objectOf({ event }: CorrelatedEvent): string {
  const { namespace = "", kind = "", name = "" } = event.involvedObject;
  return `${namespace}/${kind}/${name}`;
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
  if (isNamespaceTerminating(error)) return true;
  return error instanceof ApiError && error.reason === "AlreadyExists";
}
