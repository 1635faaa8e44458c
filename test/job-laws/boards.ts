/**
 * Compares a scoreboard with one that is opened anew from the same Job and pods. They are compared
 * field by field, which is cheap, and described only if they differ.
 */
import { isDeepStrictEqual } from "node:util";
import { formatIndexes, hasIndex, type IndexSet } from "../../src/api/index-set.ts";
import {
  type KnownPod,
  openScoreboard,
  type Scoreboard,
  settleBoard,
} from "../../src/controllers/job/scoreboard.ts";
import type { Sync } from "./world.ts";

const opened = new WeakMap<Sync, Scoreboard>();

/**
 * The scoreboard that a controller without memory would have at this sync. It must not be changed.
 */
export function freshBoard(sync: Sync): Scoreboard {
  const known = opened.get(sync);
  if (known) return known;
  const fresh = openScoreboard(sync.job, sync.pods.values());
  settleBoard(fresh);
  opened.set(sync, fresh);
  return fresh;
}

/** Whether both boards have the same contents, in any order. */
export function isSameBoard(one: Scoreboard, other: Scoreboard): boolean {
  return (
    COUNTS.every((count) => one[count] === other[count]) &&
    isSameMap(one.known, other.known, isSamePod) &&
    GROUPS.every((group) => isSameMap(one[group], other[group], hasSameUid)) &&
    isSameMap(one.retained, other.retained, hasSameUid) &&
    isSameMap(one.fatal, other.fatal) &&
    INDEXES.every((set) => isSameSet(one[set], other[set], one.spec.completions)) &&
    PLACES.every((places) => isSamePlaces(one, other, places)) &&
    one.successRules.every((rule, at) => rule.completed === other.successRules[at]?.completed)
  );
}

const COUNTS = ["ready", "terminating", "restarts", "successes", "failures"] as const;
const GROUPS = ["active", "tracked", "finished", "misplaced"] as const;
const INDEXES = ["completed", "failed"] as const;
const PLACES = ["activePlaces", "terminatingPlaces"] as const;

function isSameMap<Key, Value>(
  one: ReadonlyMap<Key, Value>,
  other: ReadonlyMap<Key, Value>,
  isSame: (one: Value, other: Value) => boolean = Object.is,
): boolean {
  if (one.size !== other.size) return false;
  for (const [key, value] of one) {
    const opposite = other.get(key);
    if (opposite === undefined || !isSame(value, opposite)) return false;
  }
  return true;
}

/**
 * The pods of a world are frozen: a change makes a new pod, so an identical object is unchanged.
 */
function isSamePod(one: KnownPod, other: KnownPod): boolean {
  const fields = Object.keys(one) as (keyof KnownPod)[];
  const isSame = (field: keyof KnownPod) =>
    one[field] === other[field] ||
    (field === "failure" && isDeepStrictEqual(one.failure, other.failure));
  return fields.length === Object.keys(other).length && fields.every(isSame);
}

function hasSameUid({ uid }: KnownPod, other: KnownPod): boolean {
  return uid === other.uid;
}

/** The same size, and the same indexes below the limit: then there are none above it. */
function isSameSet(one: IndexSet, other: IndexSet, limit = 0): boolean {
  if (one.size !== other.size) return false;
  for (let index = 0; index < limit; index++) {
    if (hasIndex(one, index) !== hasIndex(other, index)) return false;
  }
  return true;
}

function isSamePlaces(one: Scoreboard, other: Scoreboard, places: (typeof PLACES)[number]) {
  const { indexes, surplus } = one[places];
  return (
    isSameSet(indexes, other[places].indexes, one.spec.completions) &&
    isSameMap(surplus, other[places].surplus)
  );
}

/** The whole contents of a board, as text. */
export function describeBoard(board: Scoreboard): string {
  const uids = (group: ReadonlyMap<unknown, { readonly uid: string }>) =>
    [...group.values()].map(({ uid }) => uid).sort();
  const known = [...board.known.values()].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const places = ({ indexes, surplus }: Scoreboard["activePlaces"]) =>
    `${formatIndexes(indexes)} and ${[...surplus].sort(([one], [other]) => one - other)}`;
  return [
    ...known.map(({ pod: { metadata, status }, ...more }) =>
      JSON.stringify({ ...more, finalizers: metadata.finalizers, status }),
    ),
    ...GROUPS.map((group) => `${group}: ${uids(board[group])}`),
    `retained: ${[...board.retained].map(([index, { uid }]) => `${index}: ${uid}`).sort()}`,
    `fatal: ${[...board.fatal].map(([uid, message]) => `${uid}: ${message}`).sort()}`,
    ...PLACES.map((each) => `${each}: ${places(board[each])}`),
    ...INDEXES.map((each) => `${each}: ${formatIndexes(board[each])}`),
    `successRules: ${board.successRules.map(({ completed }) => completed)}`,
    ...COUNTS.map((count) => `${count}: ${board[count]}`),
  ].join("\n");
}
