/** Reads from the notes which Jobs of a name belong together. */
import { type JobName, jobEventPrefix, namespaceKey, parseNoteKey } from "../../ledger/keys.ts";
import { parseJobEvent, parseRemoval } from "../../ledger/records.ts";
import { type DatedEvent, type Story, storyOf } from "../../ledger/story.ts";
import type { Note, StoredObjects } from "../../store/types.ts";

export function findStory(
  store: Pick<StoredObjects, "listNotes">,
  name: JobName,
): Story | undefined {
  return storyOf(readEvents(store, name), removalOf(store, name.namespace));
}

/** The revision at which the last namespace of that name was deleted; 0 if none ever was. */
export function removalOf(store: Pick<StoredObjects, "listNotes">, namespace: string): number {
  const [removal] = store.listNotes({ prefix: namespaceKey(namespace), limit: 1 });
  return removal ? parseRemoval(removal.bytes) : 0;
}

function readEvents(store: Pick<StoredObjects, "listNotes">, name: JobName): DatedEvent[] {
  const prefix = jobEventPrefix(name);
  const events: DatedEvent[] = [];
  for (let notes = read(prefix); notes.length > 0; notes = read(`${notes.at(-1)?.key}\0`)) {
    events.push(...notes.flatMap(toEvent));
    if (notes.length < EVENTS_AT_ONCE) break;
  }
  return events;

  function read(from: string): readonly Note[] {
    return store.listNotes({ prefix, from, limit: EVENTS_AT_ONCE });
  }
}

const EVENTS_AT_ONCE = 256;

export function toEvent({ key, bytes }: Note): DatedEvent[] {
  const place = parseNoteKey(key);
  const event = parseJobEvent(bytes);
  return event && place?.kind === "event" ? [{ ...event, revision: place.revision }] : [];
}
