import { expect, test } from "vitest";
import { type Continuation, type DatedEvent, isForgotten, KEPT_MS, storyOf } from "./story.ts";

const A = created("a", 10);
const A_GONE = deleted("a", 20);
const B_GOES_ON = created("b", 30, true);
const B_GONE = deleted("b", 40);
const C = created("c", 50);

test.each<[string, DatedEvent[], object | undefined]>([
  ["nothing", [], undefined],
  ["one Job", [A], { jobs: ["a"], firstRevision: 10 }],
  ["a deleted Job", [A, A_GONE], { jobs: ["a"], firstRevision: 10, endedMs: 2000 }],
  ["a continued Job", [A, A_GONE, B_GOES_ON], { jobs: ["a", "b"], firstRevision: 10 }],
  [
    "a continued and deleted Job",
    [A, A_GONE, B_GOES_ON, B_GONE],
    { jobs: ["a", "b"], firstRevision: 10, endedMs: 4000 },
  ],
  [
    "a Job that starts afresh",
    [A, A_GONE, B_GOES_ON, B_GONE, C],
    { jobs: ["c"], firstRevision: 50 },
  ],
  ["a continuation without an earlier Job", [B_GOES_ON], { jobs: ["b"], firstRevision: 30 }],
  [
    "a Job older than the ledger",
    [deleted("x", 5)],
    { jobs: ["x"], firstRevision: 5, endedMs: 500 },
  ],
])("the story of %s", (_, events, expected) => {
  const story = storyOf(events);
  if (!story) return expect(expected).toBeUndefined();
  const { unmoved: _unmoved, ...others } = story;
  expect({ ...others, jobs: [...story.jobs] }).toEqual(expected);
});

test("after its items have moved, only attempts since then match its indexes", () => {
  const moved = created("b", 30, "moved");
  const story = storyOf([A, A_GONE, moved, deleted("b", 40), created("c", 50, true)]);
  expect([...(story?.jobs ?? [])]).toEqual(["a", "b", "c"]);
  expect([...(story?.unmoved ?? [])]).toEqual(["b", "c"]);
});

test("events before the deletion of the namespace are ignored", () => {
  expect(storyOf([A, A_GONE], 25)).toBeUndefined();
  expect([...(storyOf([A, A_GONE, B_GOES_ON], 25)?.jobs ?? [])]).toEqual(["b"]);
});

test("a story is forgotten only some time after its Job was deleted", () => {
  const none = { jobs: new Set<string>(), unmoved: new Set<string>(), firstRevision: 0 };
  const story = storyOf([A, A_GONE]) ?? none;
  expect(isForgotten(story, 2000 + KEPT_MS)).toBe(false);
  expect(isForgotten(story, 2001 + KEPT_MS)).toBe(true);
  expect(isForgotten(none, Number.MAX_VALUE)).toBe(false);
});

function created(uid: string, revision: number, continues: Continuation = false): DatedEvent {
  return { kind: "created", uid, revision, continues };
}

function deleted(uid: string, revision: number): DatedEvent {
  return { kind: "deleted", uid, revision, atMs: revision * 100 };
}
