/**
 * What the controller remembers of one Job between syncs. Everything here can be had again from the
 * caches.
 */
import type { Pod } from "../../api/generated/core.ts";
import { noWrites, type OwnWrites } from "./own-writes.ts";
import type { Scoreboard } from "./scoreboard.ts";
import type { ListMemory } from "./work-list.ts";

export interface JobMemory {
  board?: Scoreboard;
  /** The Job the board is about, and what of its status the board stands for. */
  basis: Basis;
  /** By UID, pods that changed since the board was last brought up to date; undefined: gone. */
  readonly changed: Map<string, Pod | undefined>;
  /** Names of pods that the Job may have to adopt or to let go; kept until that is done. */
  readonly claimable: Set<string>;
  readonly writes: OwnWrites;
  /** When the Job was first looked at. */
  readonly sinceMs: number;
  lastSyncMs: number;
  /** Since when a status waits to be written, and the start of the Job that it tells. */
  unwritten?: { readonly sinceMs: number; readonly startTime?: string };
  /** Until when the Job waits after failures, as the last event about that told. */
  toldWaitMs?: number;
  /** The annotations that were last looked through for something to complain about. */
  heard: string;
  /** Of a Job with a work list. */
  list?: ListMemory;
}

export interface Basis {
  readonly uid: string;
  /** As the status has them: completed and failed indexes, and how many of these failed. */
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
