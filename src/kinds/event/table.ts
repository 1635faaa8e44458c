/** Pure: Events as a table: both generations of recorders in one set of columns. */
import type { Event } from "../../api/generated/core.ts";
import type { Cell, Column } from "../kind.ts";
import { column, nameColumn } from "../meta/columns.ts";
import { age } from "../print/age.ts";

export const columns: readonly Column[] = [
  column("Last Seen", "How long ago this was last observed."),
  column("Type", "Normal or Warning; new types may come."),
  column("Reason", "Why the object came into this state, in one machine-readable word."),
  column("Object", "The object the event is about."),
  column("Subobject", "The part of the object the event is about.", { wide: true }),
  column("Source", "Which component reports the event, and from where.", { wide: true }),
  column("Message", "What happened, for people to read."),
  column("First Seen", "How long ago this was first observed.", { wide: true }),
  column("Count", "How often this was observed.", { wide: true }),
  { ...nameColumn, priority: 1 },
];

export function cells(event: Event, now: Date): Cell[] {
  const { involvedObject, series } = event;
  const first = event.firstTimestamp ?? event.eventTime;
  const last = series ? series.lastObservedTime : (event.lastTimestamp ?? first);
  const count = series ? (series.count ?? 0) : event.count || 1;
  const kind = (involvedObject.kind ?? "").toLowerCase();
  return [
    age(last, now),
    event.type ?? "",
    event.reason ?? "",
    involvedObject.name === undefined ? kind : `${kind}/${involvedObject.name}`,
    involvedObject.fieldPath ?? "",
    formatSource(event),
    (event.message ?? "").trim(),
    age(first, now),
    count,
    event.metadata.name ?? "",
  ];
}

function formatSource({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source.component ?? reportingComponent;
  const instance = source.host ?? reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}
