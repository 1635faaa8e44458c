/**
 * Pure: decides which events are written, by the rules of the event recorder in client-go. In
 * order:
 *
 * 1. Aggregation: from the tenth different message of one (object, type, reason) on, with no gap of
 *    more than 600 s, messages are combined into one event.
 * 2. Counting: a repeated event increments the count of the existing event.
 * 3. Throttling: an object has 25 writes and gains one every 300 s. The first event of each
 *    (object, type, reason) is always written, even if the object has no writes left, so that every
 *    reason becomes visible at least once.
 *
 * Throttled events are still counted: the next write includes them in its count.
 */
import type { Event } from "../../api/generated/core.ts";
import { RecentMap } from "./recent-map.ts";

export interface CorrelatedEvent {
  /** Events with the same key are one object on the server. */
  readonly key: string;
  readonly event: Event;
  /** True if the server should already have this event, with a lower count. */
  readonly isRepeat: boolean;
  /** True if no event of this (object, type, reason) has been written yet. */
  readonly isFirstOfReason: boolean;
}

const MEMORY = 4096;
const COMBINED_FROM = 10;
const COMBINING_GAP_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;

/** What is remembered about one (object, type, reason). */
interface Similar {
  readonly messages: Set<string>;
  readonly isCombined: boolean;
  readonly lastMs: number;
  hasPassed: boolean;
}

interface Told {
  readonly name: string;
  readonly firstTimestamp: string | null;
  readonly count: number;
}

interface Allowance {
  readonly writes: number;
  readonly atMs: number;
}

export class EventCorrelation {
  readonly #similar = new RecentMap<Similar>(MEMORY);
  readonly #told = new RecentMap<Told>(MEMORY);
  readonly #allowances = new RecentMap<Allowance>(MEMORY);

  /**
   * Returns the event to write, or undefined if nothing is to be written now. `nowMs` must not
   * decrease between calls.
   */
  take(event: Event, nowMs: number): CorrelatedEvent | undefined {
    const objectKey = objectKeyOf(event);
    const reasonKey = `${objectKey} ${event.type} ${event.reason}`;
    const similar = this.#note(reasonKey, event.message ?? "", nowMs);
    const { fieldPath = "" } = event.involvedObject;
    const key = similar.isCombined ? reasonKey : `${reasonKey} ${fieldPath} ${event.message}`;
    const counted = this.#count(key, similar.isCombined ? combined(event) : event);
    const isFirstOfReason = !similar.hasPassed;
    const mayWrite = this.#spend(objectKey, nowMs);
    if (!mayWrite && !isFirstOfReason) return undefined;
    similar.hasPassed = true;
    return { key, event: counted, isRepeat: (counted.count ?? 1) > 1, isFirstOfReason };
  }

  #note(key: string, message: string, nowMs: number): Similar {
    const before = this.#similar.get(key);
    const isFresh = !before || nowMs - before.lastMs > COMBINING_GAP_MS;
    const messages = isFresh ? new Set<string>() : before.messages;
    messages.add(message);
    const isCombined = messages.size >= COMBINED_FROM;
    // Keep one message fewer than the threshold, so that the next new message is combined as well.
    if (isCombined) dropOldest(messages);
    const hasPassed = before?.hasPassed ?? false;
    const similar = { messages, isCombined, lastMs: nowMs, hasPassed };
    this.#similar.set(key, similar);
    return similar;
  }

  #count(key: string, event: Event): Event {
    const before = this.#told.get(key);
    const { name = "" } = event.metadata;
    const told = before
      ? { ...before, count: before.count + 1 }
      : { name, firstTimestamp: event.firstTimestamp ?? null, count: 1 };
    this.#told.set(key, told);
    const { count, firstTimestamp } = told;
    return { ...event, metadata: { ...event.metadata, name: told.name }, count, firstTimestamp };
  }

  #spend(key: string, nowMs: number): boolean {
    const before = this.#allowances.get(key) ?? { writes: BURST, atMs: nowMs };
    const gained = (nowMs - before.atMs) / REFILL_MS;
    const writes = Math.min(BURST, before.writes + gained);
    const mayWrite = writes >= 1;
    this.#allowances.set(key, { writes: mayWrite ? writes - 1 : writes, atMs: nowMs });
    return mayWrite;
  }
}

function dropOldest(messages: Set<string>): void {
  for (const oldest of messages) {
    messages.delete(oldest);
    return;
  }
}

function objectKeyOf({ involvedObject: about }: Event): string {
  return [about.kind, about.namespace, about.name, about.uid, about.apiVersion].join(" ");
}

/** Like client-go, a combined event has a source but no reporting component. */
function combined(event: Event): Event {
  const message = `(combined from similar events): ${event.message}`;
  return { ...event, message, reportingComponent: "", reportingInstance: "" };
}
