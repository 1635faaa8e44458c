/**
 * Pure: the state machine that follows a resource: list it, watch from the revision of the list,
 * and when the watch ends, resume from the last revision seen, or list again if that one has
 * expired.
 *
 * A state says what is in progress. The follower (follower.ts) starts it and reports the result.
 */
import { ApiError } from "../api/errors.ts";
import { unreachable } from "../base/assert.ts";
import { type Backoff, backoffMs } from "../base/backoff.ts";

export type FollowState =
  | { readonly kind: "listing"; readonly failures: number; readonly isFirst: boolean }
  | { readonly kind: "watching"; readonly failures: number; readonly revision: string }
  | { readonly kind: "pausing"; readonly delayMs: number; readonly next: FollowState }
  /** The server rejected the first list: the request itself is wrong, so a retry cannot succeed. */
  | { readonly kind: "refused"; readonly error: Error };

export type FollowReport =
  | { readonly kind: "listed"; readonly revision: string }
  | { readonly kind: "list failed"; readonly error: Error }
  | { readonly kind: "event"; readonly revision: string }
  | { readonly kind: "watch ended"; readonly livedMs: number; readonly error?: Error }
  | { readonly kind: "paused" };

export const FIRST_STATE: FollowState = { kind: "listing", failures: 0, isFirst: true };

/** The same delays as in Kubernetes' own informers. */
const BACKOFF: Backoff = { firstMs: 800, maxMs: 30_000 };

/**
 * Servers end watches now and then without a reason. A watch that lasted this long did not fail.
 */
const SOUND_WATCH_MS = 60_000;

/** The next state. A report that does not fit the state is late and is ignored. */
export function nextState(state: FollowState, report: FollowReport): FollowState {
  switch (state.kind) {
    case "listing":
      if (report.kind === "listed") return watching(report.revision, state.failures);
      return report.kind === "list failed" ? afterFailedList(state, report.error) : state;
    case "watching":
      if (report.kind === "event") return afterEvent(state.revision, report.revision);
      return report.kind === "watch ended" ? afterWatch(state, report) : state;
    case "pausing":
      return report.kind === "paused" ? state.next : state;
    case "refused":
      return state;
    default:
      return unreachable(state);
  }
}

/** Compares resourceVersions: whole numbers of any length. */
export function isAtLeast(revision: string, other: string): boolean {
  if (revision.length !== other.length) return revision.length > other.length;
  return revision >= other;
}

function watching(revision: string, failures: number): FollowState {
  return { kind: "watching", failures, revision };
}

/**
 * An event resets the failure count. The revision never decreases: an event that undoes an unsynced
 * write carries an older one.
 */
function afterEvent(revision: string, told: string): FollowState {
  return watching(isAtLeast(told, revision) ? told : revision, 0);
}

function afterFailedList(
  { failures, isFirst }: { readonly failures: number; readonly isFirst: boolean },
  error: Error,
): FollowState {
  if (isFirst && isRefusal(error)) return { kind: "refused", error };
  const delayMs = backoffMs(BACKOFF, failures + 1);
  return { kind: "pausing", delayMs, next: { kind: "listing", failures: failures + 1, isFirst } };
}

function afterWatch(
  { failures, revision }: { readonly failures: number; readonly revision: string },
  { livedMs, error }: { readonly livedMs: number; readonly error?: Error },
): FollowState {
  const before = livedMs >= SOUND_WATCH_MS ? 0 : failures;
  const list = (count: number): FollowState => ({
    kind: "listing",
    failures: count,
    isFirst: false,
  });
  if (error instanceof ApiError && error.code === 410) {
    // The server is healthy and asks for a new list: wait only if this happens repeatedly.
    return { kind: "pausing", delayMs: backoffMs(BACKOFF, before - 1), next: list(before + 1) };
  }
  if (!error && livedMs >= SOUND_WATCH_MS) {
    return { kind: "pausing", delayMs: 0, next: watching(revision, 0) };
  }
  // After two failures in a row, list again: the server may not accept this revision.
  const next = before > 0 || isRefusal(error) ? list(before + 1) : watching(revision, before + 1);
  return { kind: "pausing", delayMs: backoffMs(BACKOFF, before + 1), next };
}

/** Whether the server understood the request and rejected it, so that a retry cannot help. */
function isRefusal(error: Error | undefined): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code >= 400 && error.code < 500 && error.code !== 408 && error.code !== 429;
}
