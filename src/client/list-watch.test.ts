import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError, expired } from "../api/errors.ts";
import {
  FIRST_STATE,
  type FollowReport,
  type FollowState,
  isAtLeast,
  nextState,
} from "./list-watch.ts";

const HOUR_MS = 3_600_000;
const lost = new Error("connection reset");
const forgotten = expired("too old resource version");
const busy = new ApiError(503, "ServiceUnavailable", "later");
const forbidden = new ApiError(403, "Forbidden", "no");

const listing = (failures: number): FollowState => ({ kind: "listing", failures, isFirst: false });
const watching = (revision: string, failures = 0): FollowState => ({
  kind: "watching",
  failures,
  revision,
});
const pausing = (delayMs: number, next: FollowState): FollowState => ({
  kind: "pausing",
  delayMs,
  next,
});
const ended = (livedMs: number, error?: Error): FollowReport => ({
  kind: "watch ended",
  livedMs,
  ...(error ? { error } : {}),
});

test.each<[string, FollowState, FollowReport, FollowState]>([
  ["a list is followed by a watch", FIRST_STATE, { kind: "listed", revision: "7" }, watching("7")],
  [
    "a failed first list is retried",
    FIRST_STATE,
    { kind: "list failed", error: lost },
    pausing(800, { kind: "listing", failures: 1, isFirst: true }),
  ],
  [
    "a rejected first list is final",
    FIRST_STATE,
    { kind: "list failed", error: forbidden },
    { kind: "refused", error: forbidden },
  ],
  [
    "a rejected later list is retried",
    listing(1),
    { kind: "list failed", error: forbidden },
    pausing(1600, listing(2)),
  ],
  [
    "failed lists are retried with a backoff of up to 30 s",
    listing(20),
    { kind: "list failed", error: busy },
    pausing(30_000, listing(21)),
  ],
  [
    "an event advances the revision",
    watching("7", 3),
    { kind: "event", revision: "12" },
    watching("12"),
  ],
  [
    "an event that undoes a write does not decrease the revision",
    watching("12"),
    { kind: "event", revision: "7" },
    watching("12"),
  ],
  ["a long watch resumes at once", watching("7", 1), ended(HOUR_MS), pausing(0, watching("7"))],
  ["a short watch resumes later", watching("7"), ended(5), pausing(800, watching("7", 1))],
  [
    "a broken watch resumes later",
    watching("7"),
    ended(HOUR_MS, lost),
    pausing(800, watching("7", 1)),
  ],
  [
    "a watch of a busy server resumes later",
    watching("7"),
    ended(5, busy),
    pausing(800, watching("7", 1)),
  ],
  [
    "after two failures in a row it lists again",
    watching("7", 1),
    ended(5, lost),
    pausing(1600, listing(2)),
  ],
  ["an expired revision lists at once", watching("7"), ended(5, forgotten), pausing(0, listing(1))],
  ["repeated expiry lists later", watching("7", 2), ended(5, forgotten), pausing(800, listing(3))],
  ["a rejected watch lists later", watching("7"), ended(5, forbidden), pausing(800, listing(1))],
  [
    "after the pause the next state starts",
    pausing(800, listing(1)),
    { kind: "paused" },
    listing(1),
  ],
])("%s", (_, state, report, expected) => {
  expect(nextState(state, report)).toEqual(expected);
});

const reports: fc.Arbitrary<FollowReport> = fc.oneof(
  fc.nat(99).map((at): FollowReport => ({ kind: "listed", revision: String(at) })),
  fc.constantFrom(lost, busy).map((error): FollowReport => ({ kind: "list failed", error })),
  fc.nat(99).map((at): FollowReport => ({ kind: "event", revision: String(at) })),
  fc
    .tuple(fc.constantFrom(1, HOUR_MS), fc.constantFrom(undefined, lost, forgotten, forbidden))
    .map(([livedMs, error]) => ended(livedMs, error)),
  fc.constant<FollowReport>({ kind: "paused" }),
);

test("unexpected reports change nothing, and failures are followed by a pause", () => {
  const expectedIn: { readonly [kind: string]: readonly FollowReport["kind"][] } = {
    listing: ["listed", "list failed"],
    watching: ["event", "watch ended"],
    pausing: ["paused"],
  };
  fc.assert(
    fc.property(fc.array(reports), (each) => {
      let state = FIRST_STATE;
      for (const report of each) {
        const next = nextState(state, report);
        if (!expectedIn[state.kind]?.includes(report.kind)) expect(next).toBe(state);
        if (report.kind === "list failed" && state.kind === "listing") {
          expect(next).toMatchObject({ kind: "pausing", next: { kind: "listing" } });
        }
        if (next.kind === "pausing") expect(next.delayMs).toBeLessThanOrEqual(30_000);
        state = next;
      }
    }),
  );
});

test("revisions compare as whole numbers of any length", () => {
  const revision = fc.bigInt({ min: 0n, max: 2n ** 64n });
  fc.assert(
    fc.property(revision, revision, (one, other) => {
      expect(isAtLeast(String(one), String(other))).toBe(one >= other);
    }),
  );
});
