import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../../api/generated/core.ts";
import { EventCorrelation } from "./event-correlation.ts";
import { RecentMap } from "./recent-map.ts";

const SECOND_MS = 1000;

function anEvent(fields: Partial<Event> & { readonly about?: string } = {}): Event {
  const { about = "a", ...rest } = fields;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${about}.1`, namespace: "ns" },
    involvedObject: { kind: "Job", namespace: "ns", name: about, uid: "u", apiVersion: "batch/v1" },
    reason: "R",
    message: "m",
    source: { component: "c" },
    firstTimestamp: "2024-01-01T00:00:00Z",
    lastTimestamp: "2024-01-01T00:00:00Z",
    count: 1,
    type: "Normal",
    eventTime: null,
    reportingComponent: "c",
    reportingInstance: "",
    ...rest,
  };
}

const taken = (correlation: EventCorrelation, event: Event, nowMs = 0) => {
  const result = correlation.take(event, nowMs);
  return result ? `${result.event.count} ${result.event.message}` : "nothing";
};

test("from the tenth different message on, messages are combined and counted as one event", () => {
  const correlation = new EventCorrelation();
  const results = Array.from({ length: 12 }, (_, each) =>
    taken(correlation, anEvent({ message: `pod ${each}`, about: "a" })),
  );
  expect(results.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, each) => `1 pod ${each}`));
  expect(results.slice(9)).toEqual([
    "1 (combined from similar events): pod 9",
    "2 (combined from similar events): pod 10",
    "3 (combined from similar events): pod 11",
  ]);
});

test("a remembered message is counted on its own event even after others were combined", () => {
  const correlation = new EventCorrelation();
  for (let each = 0; each < 10; each++) correlation.take(anEvent({ message: `${each}` }), 0);
  expect(taken(correlation, anEvent({ message: "5" }))).toBe("2 5");
});

test("a combined event has a source and no reporting component", () => {
  const correlation = new EventCorrelation();
  for (let each = 0; each < 9; each++) correlation.take(anEvent({ message: `${each}` }), 0);
  expect(correlation.take(anEvent({ message: "last" }), 0)?.event).toMatchObject({
    source: { component: "c" },
    reportingComponent: "",
  });
});

test.each([
  ["another reason", { reason: "Other" }],
  ["another type", { type: "Warning" }],
  ["another object", { about: "b" }],
])("events of %s are not similar", (_, fields) => {
  const correlation = new EventCorrelation();
  for (let each = 0; each < 10; each++) correlation.take(anEvent({ message: `${each}` }), 0);
  expect(taken(correlation, anEvent({ ...fields, message: "x" }))).toBe("1 x");
});

test.each([
  [600, "2 (combined from similar events): x"],
  [601, "1 x"],
])("a message %i s after the last similar one", (seconds, expected) => {
  const correlation = new EventCorrelation();
  for (let each = 0; each < 10; each++) correlation.take(anEvent({ message: `${each}` }), 0);
  expect(taken(correlation, anEvent({ message: "x" }), seconds * SECOND_MS)).toBe(expected);
});

test("a repeated event keeps the name and the first timestamp of the first one", () => {
  const correlation = new EventCorrelation();
  correlation.take(anEvent(), 0);
  const again = { metadata: { name: "a.2" }, firstTimestamp: "2025-01-01T00:00:00Z" };
  const repeated = correlation.take(
    anEvent({ ...again, lastTimestamp: "2025-01-01T00:00:00Z" }),
    1,
  );
  expect(repeated).toMatchObject({
    isRepeat: true,
    event: {
      metadata: { name: "a.1" },
      count: 2,
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2025-01-01T00:00:00Z",
    },
  });
});

test("an object has 25 writes and gains one in five minutes; throttled events count", () => {
  const correlation = new EventCorrelation();
  const burst = Array.from({ length: 27 }, () => taken(correlation, anEvent()));
  expect(burst.slice(24)).toEqual(["25 m", "nothing", "nothing"]);
  expect(taken(correlation, anEvent(), 299 * SECOND_MS)).toBe("nothing");
  expect(taken(correlation, anEvent(), 300 * SECOND_MS)).toBe("29 m");
  expect(taken(correlation, anEvent(), 301 * SECOND_MS)).toBe("nothing");
  expect(taken(correlation, anEvent({ about: "b" }), 301 * SECOND_MS)).toBe("1 m");
});

test("the first event of a reason is written even if the object has no writes left", () => {
  const correlation = new EventCorrelation();
  for (let each = 0; each < 40; each++) correlation.take(anEvent(), 0);
  const first = { reason: "Completed", message: "Job completed" };
  expect(taken(correlation, anEvent(first))).toBe("1 Job completed");
  expect(taken(correlation, anEvent(first))).toBe("nothing");
  expect(taken(correlation, anEvent({ ...first, type: "Warning" }))).toBe("1 Job completed");
});

test("every reason is written at least once, and no object exceeds its number of writes", () => {
  const occurrence = fc.record({
    reason: fc.constantFrom("A", "B", "C", "D"),
    type: fc.constantFrom("Normal", "Warning"),
    message: fc.nat(30).map(String),
    afterMs: fc.constantFrom(0, 0, 0, 1000, 400_000),
  });
  fc.assert(
    fc.property(fc.array(occurrence, { maxLength: 200 }), (each) => {
      const correlation = new EventCorrelation();
      const told = new Set<string>();
      let nowMs = 0;
      let writes = 0;
      for (const { afterMs, ...fields } of each) {
        nowMs += afterMs;
        const result = correlation.take(anEvent(fields), nowMs);
        const kind = `${fields.type} ${fields.reason}`;
        if (result) writes += 1;
        if (result) told.add(kind);
        expect(told).toContain(kind);
      }
      expect(writes).toBeLessThanOrEqual(25 + nowMs / 300_000 + told.size);
    }),
  );
});

test("a RecentMap evicts the least recently used entry", () => {
  const map = new RecentMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
});

test("the same message about two parts of one object makes two events", () => {
  const correlation = new EventCorrelation();
  const of = (fieldPath: string) => {
    const event = anEvent();
    return { ...event, involvedObject: { ...event.involvedObject, fieldPath } };
  };
  expect(taken(correlation, of("spec.containers{a}"))).toBe("1 m");
  expect(taken(correlation, of("spec.containers{b}"))).toBe("1 m");
  expect(taken(correlation, of("spec.containers{a}"))).toBe("2 m");
});
