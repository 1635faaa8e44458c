/**
 * Pure: which Jobs of one name tell one story. A Job that says which indexes were complete before
 * goes on where the former one of its name ended; any other begins anew, and what was before is
 * void.
 */

/** By this annotation a new Job takes over the indexes that an earlier one completed. */
export const CONTINUES_FROM = "tallyjob.io/completed-indexes";
/** With this one, too, its indexes stand for other work than those of the former: a new story. */
export const LIST_CHANGED = "tallyjob.io/list-changed";

export type JobEvent =
  | { readonly kind: "created"; readonly uid: string; readonly continues: boolean }
  | { readonly kind: "deleted"; readonly uid: string; readonly atMs: number };

export type DatedEvent = JobEvent & { readonly revision: number };

export interface Story {
  /** The Jobs whose attempts belong to it. */
  readonly jobs: ReadonlySet<string>;
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
    const goesOn = event.continues && story !== undefined;
    return {
      jobs: new Set(goesOn ? [...story.jobs, uid] : [uid]),
      firstRevision: goesOn ? story.firstRevision : revision,
    };
  }
  // Of a Job that was created before anything was noted, its end is the first that is heard.
  const known = story?.jobs.has(uid) ? story : { jobs: new Set([uid]), firstRevision: revision };
  return { ...known, endedMs: event.atMs };
}

/** How long the attempts at a deleted Job are kept. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export function isForgotten({ endedMs }: Story, nowMs: number): boolean {
  return endedMs !== undefined && nowMs - endedMs > KEPT_MS;
}
