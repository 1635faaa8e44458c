/**
 * Pure: the ledger notes that a change leaves. The ledger records what is known about the indexes
 * of a Job after their pods are gone: every attempt, and when Jobs of that name were created and
 * deleted.
 *
 * Reading order: this file, attempt (from a pod to its attempts), story (which Jobs of one name
 * belong together), records and keys (the stored format). Nothing here knows about the store, which
 * writes the notes, or the server, which shows them.
 */
import type { Pod } from "../api/generated/core.ts";
import type { KubeObject } from "../api/object.ts";
import { attemptsEndedBy } from "./attempt.ts";
import { attemptKey, jobEventKey, namespaceKey } from "./keys.ts";
import { formatAttempt, formatJobEvent, formatRemoval } from "./records.ts";
import { CONTINUES, CONTINUES_FROM, type Continuation, LIST_CHANGED } from "./story.ts";

/** The parts of a store change that are needed here. */
export interface LedgerChange {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: { readonly resource: string; readonly namespace: string; readonly name: string };
  readonly object: KubeObject;
  readonly previous?: KubeObject;
}

export interface LedgerNote {
  readonly key: string;
  readonly bytes: Uint8Array;
}

export function ledgerNotes(change: LedgerChange, nowMs: number): readonly LedgerNote[] {
  switch (change.key.resource) {
    case "pods":
      return podNotes(change, nowMs);
    case "jobs.batch":
      return jobNotes(change, nowMs);
    case "namespaces":
      return namespaceNotes(change);
    default:
      return NOTHING;
  }
}

const NOTHING: readonly LedgerNote[] = [];

/** There are many thousands of pod changes: most of them must be cheap. */
function podNotes(change: LedgerChange, nowMs: number): readonly LedgerNote[] {
  const { type, object, previous, revision, key } = change;
  const ended = attemptsEndedBy({
    pod: object as Pod,
    ...(previous && type === "MODIFIED" ? { previous: previous as Pod } : {}),
    isDeleted: type === "DELETED",
    nowMs,
  });
  if (ended.length === 0) return NOTHING;
  return ended.map(({ jobName, index, run, attempt, created }) => ({
    key: attemptKey({ namespace: key.namespace, jobName, index, podUID: attempt.podUID, run }),
    bytes: formatAttempt({ attempt, created, revision }),
  }));
}

function jobNotes(change: LedgerChange, nowMs: number): readonly LedgerNote[] {
  const { type, revision, object } = change;
  if (type === "MODIFIED") return NOTHING;
  const { namespace, name: jobName } = change.key;
  const { uid = "", annotations = {} } = object.metadata;
  const bytes =
    type === "ADDED"
      ? formatJobEvent({ kind: "created", uid, continues: continuationOf(annotations) })
      : formatJobEvent({ kind: "deleted", uid, atMs: nowMs });
  return [{ key: jobEventKey({ namespace, jobName, revision }), bytes }];
}

function continuationOf(annotations: { readonly [name: string]: string }): Continuation {
  const isMoved = LIST_CHANGED in annotations;
  if (CONTINUES in annotations) return isMoved ? "moved" : true;
  return CONTINUES_FROM in annotations && !isMoved;
}

/** Invalidates all earlier notes: a new namespace of the same name is a different one. */
function namespaceNotes({ type, key, revision }: LedgerChange): readonly LedgerNote[] {
  if (type !== "DELETED") return NOTHING;
  return [{ key: namespaceKey(key.name), bytes: formatRemoval(revision) }];
}
