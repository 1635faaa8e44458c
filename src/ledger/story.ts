/**
 * Pure: which Jobs of one name belong together. A Job whose annotations list the indexes that were
 * already complete, or the Jobs that it continues, continues the previous Job of its name. Any
 * other Job starts afresh and invalidates earlier notes.
 */

/** Annotation with which a new Job takes over the indexes that an earlier one completed. */
export const CONTINUES_FROM = "tallyjob.io/completed-indexes";
/** Annotation with which a new Job lists the Jobs whose indexes are the same work as its own. */
export const CONTINUES = "tallyjob.io/continues";
/** Annotation that says that the indexes stand for other items than in the previous Job. */
export const LIST_CHANGED = "tallyjob.io/list-changed";

/** "moved": the Job continues the previous one, but its items have other indexes now. */
export type Continuation = boolean | "moved";

export type JobEvent =
  | { readonly kind: "created"; readonly uid: string; readonly continues: Continuation }
  | { readonly kind: "deleted"; readonly uid: string; readonly atMs: number };

export type DatedEvent = JobEvent & { readonly revision: number };

export interface Story {
  /** The UIDs of the Jobs whose attempts belong to it. */
  readonly jobs: ReadonlySet<string>;
  /** Those of them whose indexes have the same meaning as in the last Job. */
  readonly unmoved: ReadonlySet<string>;
  /** Notes from earlier revisions are no longer valid. */
  readonly firstRevision: number;
  /** Absent while the last of its Jobs exists. */
  readonly endedMs?: number;
}

/**
 * @param events in order of revision
 * @param voidBefore the revision at which the namespace was deleted, if it ever was
 */
export function storyOf(events: readonly DatedEvent[], voidBefore = 0): Story | undefined {
  let story: Story | undefined;
  for (const event of events) {
    if (event.revision > voidBefore) story = after(story, event);
  }
  return story;
}

function after(story: Story | undefined, event: DatedEvent): Story {
  const { uid, revision } = event;
  if (event.kind === "created") {
    if (!story || event.continues === false) return begun(uid, revision);
    return {
      jobs: new Set([...story.jobs, uid]),
      unmoved: new Set(event.continues === "moved" ? [uid] : [...story.unmoved, uid]),
      firstRevision: story.firstRevision,
    };
  }
  // If the Job is older than the ledger, its deletion is the first event of its name.
  const known = story?.jobs.has(uid) ? story : begun(uid, revision);
  return { ...known, endedMs: event.atMs };
}

function begun(uid: string, firstRevision: number): Story {
  return { jobs: new Set([uid]), unmoved: new Set([uid]), firstRevision };
}

/** How long the attempts of a deleted Job are kept. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export function isForgotten({ endedMs }: Story, nowMs: number): boolean {
  return endedMs !== undefined && nowMs - endedMs > KEPT_MS;
}
