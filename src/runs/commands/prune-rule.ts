/** Pure: chooses the runs that `tally prune` removes. */
import { byAge } from "../show/list-table.ts";
import type { RunState } from "../show/run-state.ts";

export interface PruneRule {
  /** Only runs that ended longer ago. */
  readonly olderThanMs?: number;
  /** This many of the latest runs are kept. */
  readonly keep?: number;
}

/** Unfinished runs are kept. */
export function runsToPrune(
  states: readonly RunState[],
  { olderThanMs = 0, keep = 0 }: PruneRule,
  nowMs: number,
): readonly RunState[] {
  const finished = states
    .filter(({ phase }) => phase === "Succeeded" || phase === "Failed")
    .sort(byAge);
  return finished.slice(keep).filter(({ endMs, createdMs }) => {
    return nowMs - (endMs ?? createdMs) >= olderThanMs;
  });
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
