/** Pure: the table of `tally list`. */
import { humanDuration } from "../../api/print/age.ts";
import { formatTime } from "./progress.ts";
import { type RunState, tookMsOf } from "./run-state.ts";

export const LIST_HEADINGS = ["NAME", "STATE", "DONE", "FAILED", "AGE", "DURATION"];

export function listRow(state: RunState, nowMs: number): readonly string[] {
  const { name, phase, total, succeeded, failed, createdMs } = state;
  const took = phase === "Stopped" ? undefined : tookMsOf(state, nowMs);
  return [
    name,
    phase,
    total === undefined ? String(succeeded) : `${succeeded}/${total}`,
    String(failed),
    humanDuration(nowMs - createdMs),
    took === undefined ? "" : formatTime(took),
  ];
}

/** The latest run comes first. */
export function byAge(one: RunState, other: RunState): number {
  return other.createdMs - one.createdMs || (one.name < other.name ? -1 : 1);
}
