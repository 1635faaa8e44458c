/**
 * Pure: which Jobs of one name belong together. A Job that states which indexes were complete
 * before, or which Jobs it continues, continues the former one of its name; any other begins anew,
 * and the notes from before are void.
 */

/** By this annotation a new Job takes over the indexes that an earlier one completed. */
export const CONTINUES_FROM = "tallyjob.io/completed-indexes";
/** By this one a new Job names the Jobs whose indexes are the same work as its own. */
export const CONTINUES = "tallyjob.io/continues";
/** With this one its indexes stand for other items than those of the former Job. */
export const LIST_CHANGED = "tallyjob.io/list-changed";

/** "moved": it continues the former Job, whose items have other indexes now. */
export type Continuation = boolean | "moved";

export type JobEvent =
  | { readonly kind: "created"; readonly uid: string; readonly continues: Continuation }
  | { readonly kind: "deleted"; readonly uid: string; readonly atMs: number };

export type DatedEvent = JobEvent & { readonly revision: number };

export interface Story {
  /** The Jobs whose attempts belong to it. */
  readonly jobs: ReadonlySet<string>;
  /** Of these, the ones whose indexes mean the same as those of the last. */
  readonly unmoved: ReadonlySet<string>;
  /** Everything noted before is of no use any more. */
  readonly firstRevision: number;
  /** Absent while the last of its Jobs exists. */
  readonly endedMs?: number;
}

/**
 * @param events in their order
 * @param voidBefore the revision at which the namespace was removed, if it ever was
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
  // The end of a Job that was created before anything was noted is the first event of its name.
  const known = story?.jobs.has(uid) ? story : begun(uid, revision);
  return { ...known, endedMs: event.atMs };
}

function begun(uid: string, firstRevision: number): Story {
  return { jobs: new Set([uid]), unmoved: new Set([uid]), firstRevision };
}

/** How long the attempts at a deleted Job are kept. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export function isForgotten({ endedMs }: Story, nowMs: number): boolean {
  return endedMs !== undefined && nowMs - endedMs > KEPT_MS;
}
