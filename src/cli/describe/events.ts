/** Pure: the events of an object, the last part of its description. */
import type { Event } from "../../api/generated/core.ts";
import { field, type Lines, since } from "./fields.ts";

/** Undefined where they were not asked for. */
export function eventLines(events: readonly Event[] | undefined, nowMs: number): Lines {
  if (events === undefined) return [];
  if (events.length === 0) return [field("Events", "<none>")];
  const sorted = [...events].sort((one, other) => lastSeenMs(one) - lastSeenMs(other));
  return [
    "Events:",
    "  Type\tReason\tAge\tFrom\tMessage",
    "  ----\t------\t----\t----\t-------",
    ...sorted.map((event) => eventLine(event, nowMs)),
  ];
}

/** Those that do not say come first. */
function lastSeenMs({ lastTimestamp }: Event): number {
  return lastTimestamp ? Date.parse(lastTimestamp) : 0;
}

function eventLine(event: Event, nowMs: number): string {
  const { type = "", reason = "", source, reportingComponent, involvedObject } = event;
  const from = source.component || reportingComponent;
  const text = (event.message ?? "").trim();
  const message = involvedObject.fieldPath ? `${involvedObject.fieldPath}: ${text}` : text;
  // What has line breaks or tabs of its own is not ours to align.
  return `  ${type}\t${reason}\t${interval(event, nowMs)}\t${from}\t${message}`;
}

function interval(event: Event, nowMs: number): string {
  const { eventTime, firstTimestamp, lastTimestamp, series, count = 0 } = event;
  const first = since(eventTime ?? firstTimestamp, nowMs);
  if (series) {
    return `${since(series.lastObservedTime, nowMs)} (x${series.count ?? 0} over ${first})`;
  }
  return count > 1 ? `${since(lastTimestamp, nowMs)} (x${count} over ${first})` : first;
}
