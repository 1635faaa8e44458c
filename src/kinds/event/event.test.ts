import fc from "fast-check";
import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Event } from "../../api/generated/core.ts";
import type { Event as EventView } from "../../api/generated/events.ts";
import type { Json } from "../../api/object.ts";
import { eventKind, eventViewKind } from "./kind.ts";
import { fromStored, toStored } from "./view.ts";

const NOW = new Date("2024-01-01T00:01:00Z");
const QUALIFIED =
  'metadata.finalizers[0]: Invalid value: "x": ' +
  "name is neither a standard finalizer name nor is it fully qualified";
const TIME = "2024-01-01T00:00:00.000000Z";

const view: { [field: string]: Json } = {
  eventTime: TIME,
  reportingController: "example.com/ctl",
  reportingInstance: "i",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { kind: "Job", name: "j", namespace: "ns" },
  note: "n",
};

test("an event is the same event in both groups", () => {
  const optional = { requiredKeys: [] };
  const fields = fc.record(
    {
      reason: fc.constant("R"),
      note: fc.constant("n"),
      action: fc.constant("A"),
      type: fc.constant("Warning"),
      deprecatedCount: fc.integer({ min: 1, max: 9 }),
      eventTime: fc.constant(TIME),
      series: fc.record({
        count: fc.integer({ min: 0, max: 9 }),
        lastObservedTime: fc.constant(TIME),
      }),
      related: fc.record({ kind: fc.constant("Pod") }),
      reportingController: fc.constant("a.b/c"),
    },
    optional,
  );
  fc.assert(
    fc.property(fields, (body) => {
      const event = created<EventView>(eventViewKind, body as { [field: string]: Json });
      expect(fromStored(toStored(event))).toEqual({
        ...event,
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
      });
    }),
  );
});

test.each<[string, { [field: string]: Json }, string[]]>([
  ["an event in the namespace of its object", { involvedObject: { namespace: "ns" } }, []],
  [
    "an event in another namespace",
    { involvedObject: { namespace: "other" } },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  [
    "a new event without a reporter",
    { eventTime: TIME, involvedObject: { namespace: "other" } },
    [
      "reportingComponent: Required value",
      'reportingComponent: Invalid value: "": name part must be non-empty',
    ],
  ],
])("%s", (_, body, expected) => {
  const found = eventKind.rules.validate(created(eventKind, body)).map(formatFinding);
  expect(found.slice(0, expected.length || undefined)).toEqual(expected);
});

test("events.k8s.io rejects fields that only old recorders write", () => {
  const body = { ...view, deprecatedCount: 2, deprecatedSource: { host: "h" }, type: "Odd" };
  const found = eventViewKind.rules.validate(created(eventViewKind, body)).map(formatFinding);
  expect(found).toEqual([
    'type: Invalid value: "": has invalid value: Odd',
    'count: Invalid value: "": needs to be unset',
    'source: Invalid value: "": needs to be unset',
  ]);
});

test.each<[{ [field: string]: Json }, string[]]>([
  [
    { series: { count: 1, lastObservedTime: null } },
    [
      'series.count: Invalid value: "": should be at least 2',
      "series.lastObservedTime: Required value",
    ],
  ],
  [{ series: { count: 2, lastObservedTime: TIME } }, []],
  [{ metadata: { name: "e", finalizers: ["x"] } }, [QUALIFIED]],
])("events.k8s.io on %j", (body, expected) => {
  const made = created(eventViewKind, { ...view, ...body });
  expect(eventViewKind.rules.validate(made).map(formatFinding)).toEqual(expected);
});

test("in events.k8s.io only the series of an event may change", () => {
  const old = created<EventView>(eventViewKind, view);
  const series = { count: 2, lastObservedTime: TIME };
  expect(eventViewKind.rules.validateUpdate({ ...old, series } as EventView, old)).toEqual([]);
  const next = { ...old, note: "x", regarding: { kind: "Pod" } } as EventView;
  expect(eventViewKind.rules.validateUpdate(next, old).map(({ field }) => field)).toEqual([
    "involvedObject.namespace",
    "involvedObject",
    "message",
  ]);
});

test("a row shows time, reason and object of events from old and new recorders", () => {
  const old = created<Event>(eventKind, {
    involvedObject: { kind: "Job", name: "j", namespace: "ns" },
    lastTimestamp: "2024-01-01T00:00:30Z",
    firstTimestamp: "2024-01-01T00:00:00Z",
    source: { component: "c", host: "h" },
    message: " m\n",
  });
  expect(eventKind.cells(old, NOW)).toEqual([
    "30s",
    "",
    "",
    "job/j",
    "",
    "c, h",
    "m",
    "60s",
    1,
    "j",
  ]);
  const recent = created<EventView>(eventViewKind, {
    ...view,
    series: { count: 3, lastObservedTime: "2024-01-01T00:00:50.000000Z" },
  });
  expect(eventViewKind.cells(recent, NOW)).toEqual([
    "10s",
    "Normal",
    "R",
    "job/j",
    "",
    "example.com/ctl, i",
    "n",
    "60s",
    3,
    "j",
  ]);
});
