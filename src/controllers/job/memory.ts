/**
 * What the controller remembers about one Job between syncs. All of it can be rebuilt from the
 * caches.
 */
import type { Pod } from "../../api/generated/core.ts";
import { noWrites, type OwnWrites } from "./own-writes.ts";
import type { Scoreboard } from "./scoreboard.ts";
import type { ListMemory } from "./work-list.ts";

export interface JobMemory {
  board?: Scoreboard;
  /** The Job that the board belongs to, and the status values that the board is based on. */
  basis: Basis;
  /**
   * Pods that changed since the board was last updated, by UID. Undefined means the pod is gone.
   */
  readonly changed: Map<string, Pod | undefined>;
  /** Names of pods that the Job may have to adopt or release; kept until that is done. */
  readonly claimable: Set<string>;
  readonly writes: OwnWrites;
  /** When the Job was first seen. */
  readonly sinceMs: number;
  lastSyncMs: number;
  /** Set while a status update is delayed: since when, and the start time that it contains. */
  unwritten?: { readonly sinceMs: number; readonly startTime?: string };
  /** The end of the back-off that was last reported by an event. */
  toldWaitMs?: number;
  /** The annotations that were last checked for complaints. */
  heard: string;
  /** Set for a Job with a work list. */
  list?: ListMemory;
}

export interface Basis {
  readonly uid: string;
  /** The completed and failed indexes as the status formats them, and the number of failed ones. */
  readonly completed: string;
  readonly failed: string;
  readonly failedCount: number;
}

export function newMemory(sinceMs: number): JobMemory {
  return {
    basis: { uid: "", completed: "", failed: "", failedCount: 0 },
    changed: new Map(),
    claimable: new Set(),
    writes: noWrites(),
    sinceMs,
    lastSyncMs: 0,
    heard: "",
  };
}
