/**
 * Pure: Events in their two API groups. The core/v1 form is stored; the kind of events.k8s.io/v1 is
 * a view of it (view.ts) with stricter rules (validate.ts), whose messages name the stored fields,
 * as in Kubernetes.
 */
import type { Event } from "../../api/generated/core.ts";
import type { Event as EventView } from "../../api/generated/events.ts";
import type { KubeObject } from "../../api/object.ts";
import { defineKind, type Kind } from "../kind.ts";
import { cells, columns } from "./table.ts";
import { validateEvent, validateStrictEvent, validateStrictEventUpdate } from "./validate.ts";
import { fromStored, toStored } from "./view.ts";

const names = {
  version: "v1",
  kind: "Event",
  resource: "events",
  singular: "event",
  namespaced: true,
  shortNames: ["ev"],
  createsOnUpdate: true,
} as const;

type ReferenceField = keyof Event["involvedObject"];

const REFERENCE_FIELDS: readonly ReferenceField[] = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

export const eventKind = defineKind<Event>({
  ...names,
  group: "",
  message: "core/v1.Event",
  rules: {
    validate: (event) => validateEvent(event, "reportingComponent"),
    validateUpdate: (next) => validateEvent(next, "reportingComponent"),
  },
  selectableFields: {
    ...referenceFields("involvedObject", (event: Event) => event.involvedObject),
    reason: ({ reason = "" }) => reason,
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component ?? reportingComponent,
    type: ({ type = "" }) => type,
  },
  columns,
  cells,
});

export const eventViewKind: Kind = defineKind<EventView>({
  ...names,
  group: "events.k8s.io",
  message: "events/v1.Event",
  rules: {
    validate: (event) => validateStrictEvent(toStored(event)),
    validateUpdate: (next, old) => validateStrictEventUpdate(toStored(next), toStored(old)),
  },
  selectableFields: {
    ...referenceFields("regarding", (event: EventView) => event.regarding),
    reason: ({ reason = "" }) => reason,
    reportingController: ({ reportingController = "" }) => reportingController,
    type: ({ type = "" }) => type,
  },
  columns,
  cells: (event, now) => cells(toStored(event), now),
  storedAs: {
    resource: "events",
    toStored,
    fromStored: (stored: KubeObject) => fromStored(stored as Event),
  },
});

function referenceFields<T>(
  prefix: string,
  referenceOf: (event: T) => Event["involvedObject"],
): { [field: string]: (event: T) => string } {
  return Object.fromEntries(
    REFERENCE_FIELDS.map((field) => [
      `${prefix}.${field}`,
      (event: T) => referenceOf(event)[field] ?? "",
    ]),
  );
}
