/**
 * Pure: the lines of the spawner's record file, and what they add up to. One file for all runs:
 *
 *   s SLOT PID TICKS BOOT        a slot was born
 *   b NUMBER SLOT STARTED_MS RUN [PLACE]   a run begins: written before the slot is told
 *   k NUMBER                      SIGKILL was asked for: the slot dies with the run
 *   x NUMBER CODE SIGNAL FLAGS FINISHED_MS   it ended
 *   f NUMBER                      its end is on record elsewhere
 *
 * The death of processes is what this must survive, not that of the machine: what was written is
 * in the kernel's hands, and nothing is synced. After a power cut no process is left to be found,
 * and a pod whose run is not in here is lost, which is what its synced claim says without us.
 */
import type { EndedRun, RunName } from "./protocol.ts";

export interface SlotIdentity {
  readonly slot: string;
  readonly pid: number;
  /** Start of the process in ticks since boot: with the boot's name it tells pids used again. */
  readonly ticks: string;
  readonly boot: string;
}

export interface RecordedRun {
  readonly number: number;
  readonly run: RunName;
  readonly startedMs: number;
  readonly slot: SlotIdentity | undefined;
  /** As the server gave it. */
  readonly place?: string;
  readonly isKilled: boolean;
  readonly end?: EndedRun;
}

export function formatSlot({ slot, pid, ticks, boot }: SlotIdentity): string {
  return `s ${slot} ${pid} ${ticks} ${boot}\n`;
}

export function formatBegin({ number, slot, startedMs, run, place }: RecordedRun): string {
  const where = place === undefined ? "" : ` ${encodeURIComponent(place)}`;
  return `b ${number} ${slot?.slot ?? "-"} ${startedMs} ${run}${where}\n`;
}

export function formatKill(number: number): string {
  return `k ${number}\n`;
}

export function formatEnd(number: number, end: EndedRun): string {
  const flags = `${end.isLost ? "l" : ""}${end.isOutOfMemory ? "o" : ""}` || "-";
  return `x ${number} ${end.exitCode} ${end.signal ?? 0} ${flags} ${end.finishedMs}\n`;
}

export function formatForget(number: number): string {
  return `f ${number}\n`;
}

/** The lines that say the same of one run and its slot. */
export function formatRun(run: RecordedRun): string {
  const slot = run.slot === undefined ? "" : formatSlot(run.slot);
  const begin = formatBegin(run);
  const kill = run.isKilled ? formatKill(run.number) : "";
  return slot + begin + kill + (run.end === undefined ? "" : formatEnd(run.number, run.end));
}

/** Runs that are not forgotten, in order. A torn last line is one that was never acted upon. */
export function readRecords(text: string): readonly RecordedRun[] {
  const slots = new Map<string, SlotIdentity>();
  const runs = new Map<number, RecordedRun>();
  for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
    const [kind, ...fields] = line.split(" ");
    if (kind === "s") {
      const [slot = "", pid, ticks = "", boot = ""] = fields;
      slots.set(slot, { slot, pid: Number(pid), ticks, boot });
    } else if (kind === "b") {
      const [number, slot = "", startedMs, run = "", place] = fields;
      const begun = { number: Number(number), run, startedMs: Number(startedMs) };
      const where = place === undefined ? {} : { place: decodeURIComponent(place) };
      runs.set(begun.number, { ...begun, slot: slots.get(slot), ...where, isKilled: false });
    } else {
      applyLater(runs, kind, fields);
    }
  }
  return [...runs.values()];
}

function applyLater(
  runs: Map<number, RecordedRun>,
  kind: string | undefined,
  fields: readonly string[],
): void {
  const run = runs.get(Number(fields[0]));
  if (run === undefined) return;
  if (kind === "f") runs.delete(run.number);
  if (kind === "k") runs.set(run.number, { ...run, isKilled: true });
  if (kind === "x") runs.set(run.number, { ...run, end: parseEnd(run, fields) });
}

function parseEnd(run: RecordedRun, fields: readonly string[]): EndedRun {
  const [, code, signal, flags = "", finishedMs] = fields;
  return {
    run: run.run,
    exitCode: Number(code),
    ...(signal !== "0" && { signal: Number(signal) }),
    startedMs: run.startedMs,
    finishedMs: Number(finishedMs),
    ...(flags.includes("o") && { isOutOfMemory: true }),
    ...(flags.includes("l") && { isLost: true }),
  };
}
