/** Pure: Events as a table: both generations of recorders in one set of columns. */
import type { Event } from "../../api/generated/core.ts";
import { age } from "../../api/print/age.ts";
import type { Cell, Column } from "../kind.ts";
import { column, nameColumn } from "../meta/columns.ts";

export const columns: readonly Column[] = [
  column("Last Seen", "The time at which the most recent occurrence of this event was recorded."),
  column("Type", "Type of this event (Normal, Warning), new types could be added in the future"),
  column(
    "Reason",
    "This should be a short, machine understandable string that gives the reason for the " +
      "transition into the object's current status.",
  ),
  column("Object", "The object that this event is about."),
  column(
    "Subobject",
    "If referring to a piece of an object instead of an entire object, this string should " +
      "contain a valid JSON/Go field access statement, such as " +
      "desiredState.manifest.containers[2]. For example, if the object reference is to a " +
      'container within a pod, this would take on a value like: "spec.containers{name}" (where ' +
      '"name" refers to the name of the container that triggered the event) or if no container ' +
      'name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax ' +
      "is chosen only to have some well-defined way of referencing a part of an object.",
    { wide: true },
  ),
  column(
    "Source",
    "The component reporting this event. Should be a short machine understandable string.",
    { wide: true },
  ),
  column("Message", "A human-readable description of the status of this operation."),
  column(
    "First Seen",
    "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
    { wide: true },
  ),
  column("Count", "The number of times this event has occurred.", { wide: true }),
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
