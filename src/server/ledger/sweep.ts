/**
 * Removes notes that are no longer needed: of Jobs deleted long ago, of Jobs that a new Job of the
 * same name replaced, and of deleted namespaces. It works in small steps, because a Job may have
 * left a million notes, and the removal is not urgent.
 */
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import {
  afterJob,
  type JobName,
  jobPrefix,
  namespaceKey,
  parseNoteKey,
} from "../../ledger/keys.ts";
import { parseAttempt } from "../../ledger/records.ts";
import { isForgotten, type Story } from "../../ledger/story.ts";
import type { Note, Store } from "../../store/types.ts";
import { findStory, removalOf } from "./stories.ts";

export interface Sweeper {
  stop(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs now and once a day. */
export function startSweeper(server: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}): Sweeper {
  const { store, clock, log } = server;
  let isStopped = false;
  let timer: Timer | undefined;
  const run = async (): Promise<void> => {
    try {
      const removed = await sweep(store, clock.nowMs(), () => isStopped);
      if (removed > 0) log.info("notes of past Jobs removed", { removed });
    } catch (error) {
      // The next run removes the remaining notes.
      if (!isStopped) log.warn("notes of past Jobs were not removed", { error: String(error) });
    }
    if (!isStopped) timer = clock.schedule(DAY_MS, () => void run());
  };
  timer = clock.schedule(0, () => void run());
  return {
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
}

/** Few enough that they can be removed even from a full disk. */
const NOTES_AT_ONCE = 100;

/** Returns how many notes it removed. */
export async function sweep(
  store: Store,
  nowMs: number,
  isStopped: () => boolean = () => false,
): Promise<number> {
  const removals = new Map<string, number>();
  let removed = 0;
  for (let from = ""; !isStopped(); ) {
    const [note] = store.listNotes({ prefix: "", from, limit: 1 });
    if (!note) return removed + (await sweepRemovals(store, removals));
    const place = parseNoteKey(note.key);
    if (!place || place.kind === "namespace") {
      if (place) removals.set(place.namespace, removalOf(store, place.namespace));
      from = `${note.key}\0`;
      continue;
    }
    removed += await sweepJob(store, place, nowMs, isStopped);
    from = afterJob(place);
    // Let other work run between two Jobs.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return removed;
}

/**
 * Once no other notes of a namespace are left, the note about its deletion is not needed either.
 */
async function sweepRemovals(store: Store, seen: ReadonlyMap<string, number>): Promise<number> {
  const swept = [...seen].filter(([namespace, at]) => removalOf(store, namespace) === at);
  const keys = swept.map(([namespace]) => namespaceKey(namespace));
  if (keys.length > 0) await store.removeNotes(keys);
  return keys.length;
}

async function sweepJob(
  store: Store,
  name: JobName,
  nowMs: number,
  isStopped: () => boolean,
): Promise<number> {
  const isUseless = uselessNotes(store, name, nowMs);
  if (!isUseless) return 0;
  const prefix = jobPrefix(name);
  let removed = 0;
  for (let from = prefix; !isStopped(); ) {
    const notes = store.listNotes({ prefix, from, limit: NOTES_AT_ONCE });
    const keys = notes.filter(isUseless).map(({ key }) => key);
    if (keys.length > 0) await store.removeNotes(keys);
    removed += keys.length;
    const last = notes.at(-1);
    if (!last || notes.length < NOTES_AT_ONCE) break;
    from = `${last.key}\0`;
  }
  return removed;
}

/**
 * Undefined if every note of the name is still needed, which can be decided without reading them
 * all.
 */
function uselessNotes(
  store: Store,
  name: JobName,
  nowMs: number,
): ((note: Note) => boolean) | undefined {
  const { namespace, jobName } = name;
  const job = store.get({ resource: "jobs.batch", namespace, name: jobName });
  const story = findStory(store, name);
  if (!job && (!story || isForgotten(story, nowMs))) return () => true;
  const first = store.listNotes({ prefix: jobPrefix(name), limit: 1 })[0];
  const place = first && parseNoteKey(first.key);
  const oldest = place?.kind === "event" ? place.revision : Number.POSITIVE_INFINITY;
  if (!story || oldest >= story.firstRevision) return undefined;
  return (note) => isOfAnother(note, story, job?.metadata.uid);
}

function isOfAnother({ key, bytes }: Note, story: Story, liveUID: string | undefined): boolean {
  const place = parseNoteKey(key);
  if (place?.kind === "event") return place.revision < story.firstRevision;
  if (place?.kind !== "attempt") return false;
  const record = parseAttempt(bytes, place.podUID);
  const jobUID = record?.attempt.jobUID ?? "";
  return !story.jobs.has(jobUID) && jobUID !== liveUID;
}
