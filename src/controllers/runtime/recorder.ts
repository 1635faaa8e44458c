/**
 * Writes the events about objects that `kubectl describe` shows. Recording an event never fails or
 * delays a reconcile: events are queued, and if the server rejects one, it is logged and dropped.
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
  /**
   * Never throws and never waits. `fieldPath` names a part of the object: "spec.containers{main}".
   */
  event(
    about: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    fieldPath?: string,
  ): void;
  /** Resolves when everything recorded so far is written or dropped. */
  idle(): Promise<void>;
}

export interface RunningRecorder extends EventRecorder {
  /** Events that are not written yet are discarded. */
  stop(): void;
}

export interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The value of source.component, for example "job-controller". */
  readonly component: string;
}

export function openRecorder(options: RecorderOptions): RunningRecorder {
  return new QueueingRecorder(options);
}

/** How many events may wait in the queue. First events of a reason have a higher limit. */
const QUEUE_LIMIT = 1000;
const FIRSTS_LIMIT = 100_000;

/**
 * The number of concurrent writes. Over the network a write is mostly waiting, so one at a time
 * would be slow. The number is small because events share connections and the request limit with
 * the actual work.
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
  /** Ordered. An event that repeats a queued one replaces it in the queue. */
  private readonly queue = new Map<string, CorrelatedEvent>();
  /** Objects with an event being written. Events of one object are written in order. */
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
    // Yield first, so that the reconcile that recorded the event continues without delay.
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
    if (isExpected(error)) this.options.log.debug("event rejected", fields);
    else this.options.log.warn("event lost", fields);
  }
}

function objectOf({ event }: CorrelatedEvent): string {
  const { namespace = "", kind = "", name = "" } = event.involvedObject;
  return `${namespace}/${kind}/${name}`;
}

/**
 * Returns "NAME.HEX" with a unique time in nanoseconds, or a UUID if that would be too long a name.
 */
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

/** Returns false if the event is gone: events expire after an hour. */
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

/** Whether the same request may succeed if it is sent again later. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 429 || error.code >= 500;
}

/**
 * The event was written by an earlier attempt whose answer was lost, or its namespace is
 * terminating.
 */
function isExpected(error: unknown): boolean {
  if (isNamespaceTerminating(error)) return true;
  return error instanceof ApiError && error.reason === "AlreadyExists";
}
