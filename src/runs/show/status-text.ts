/** Pure: the status of a run, as lines that fit a terminal or as an object. */

import type { ItemResult } from "./item-result.ts";
import { type EndWords, endText, signalName } from "./item-text.ts";
import { formatCount, formatRate, formatTime } from "./progress.ts";
import { notRunOf, type RunState, tookMsOf } from "./run-state.ts";

export interface RunStatus {
  readonly state: RunState;
  /** The first failures, in the order of the list. */
  readonly failures: readonly ShownFailure[];
  /** Items that failed and wait for a retry. */
  readonly waiting: number;
  readonly nowMs: number;
}

export interface ShownFailure {
  readonly result: ItemResult;
  readonly log: string | undefined;
}

export interface StatusWords {
  /** The width of the terminal. */
  readonly columns: number;
  /** The limit of attempts at an item; undefined if there is none. */
  readonly attempts: number | undefined;
  /** The flags that another command needs to find the run. */
  readonly flags: string;
}

export function statusLines(status: RunStatus, words: StatusWords): readonly string[] {
  const { state, failures } = status;
  const { name, failed } = state;
  const lines = [fitted(headline(status), words.columns), ...progressLines(status, words.columns)];
  for (const failure of failures) lines.push(...failureLines(failure, name, words));
  const more = failed - failures.length;
  if (more > 0) {
    lines.push(`  and ${formatCount(more)} more: tally results ${name} --failed${words.flags}`);
  }
  lines.push(...hints(status, words));
  return lines;
}

function headline({ state, waiting }: RunStatus): string {
  const { name, phase, reason, total, succeeded, failed, active } = state;
  const of = total === undefined ? "" : ` of ${formatCount(total)}`;
  const counts = [`${formatCount(succeeded)}${of} succeeded`];
  if (failed > 0) counts.push(`${formatCount(failed)} failed`);
  const isOver = phase === "Succeeded" || phase === "Failed";
  if (!isOver && active > 0) counts.push(`${formatCount(active)} active`);
  if (!isOver && waiting > 0) counts.push(`${formatCount(waiting)} to be tried again`);
  const notRun = notRunOf(state);
  if (notRun > 0) counts.push(`${formatCount(notRun)} not run`);
  return `${name}: ${phase}${reason === undefined ? "" : ` (${reason})`}, ${counts.join(", ")}`;
}

const MOST_BAR = 40;

function progressLines(status: RunStatus, columns: number): readonly string[] {
  const { state, nowMs } = status;
  const { total, succeeded, failed, startMs } = state;
  const parts: string[] = [];
  if (state.endMs === undefined && total !== undefined && total > 0) {
    const done = (succeeded + failed) / total;
    const width = Math.max(10, Math.min(MOST_BAR, columns - 44));
    const full = Math.min(width, Math.floor(done * width));
    parts.push(`[${"#".repeat(full)}${".".repeat(width - full)}] ${Math.floor(done * 100)} %`);
  }
  const { rate, remainingMs } = paceOfStatus(status);
  if (rate !== undefined) parts.push(formatRate(rate));
  if (remainingMs !== undefined) parts.push(`${formatTime(remainingMs)} left`);
  const took = tookMsOf(state, nowMs);
  if (took !== undefined && state.phase !== "Stopped") {
    parts.push(state.endMs === undefined ? `for ${formatTime(took)}` : `in ${formatTime(took)}`);
  }
  if (startMs !== undefined && state.endMs !== undefined) {
    parts.push(`ended ${formatTime(nowMs - state.endMs)} ago`);
  }
  return parts.length === 0 ? [] : [fitted(`  ${parts.join("  ")}`, columns)];
}

/** The average since the start: only a command that follows the run has a recent rate. */
export function paceOfStatus({ state, nowMs }: RunStatus): {
  readonly rate: number | undefined;
  readonly remainingMs: number | undefined;
} {
  const took = tookMsOf(state, nowMs);
  const { succeeded, failed, total } = state;
  const done = succeeded + failed - state.before;
  if (state.phase !== "Running" || took === undefined || took < 1000 || done <= 0) {
    return { rate: undefined, remainingMs: undefined };
  }
  const rate = done / (took / 1000);
  const left = total === undefined ? undefined : total - succeeded - failed;
  return { rate, remainingMs: left === undefined ? undefined : (left / rate) * 1000 };
}

function failureLines(
  { result, log }: ShownFailure,
  name: string,
  { columns, attempts, flags }: StatusWords,
): readonly string[] {
  const tried = attempts === undefined ? "" : ` of ${attempts}`;
  const how = `${endText(endOf(result))}, attempt ${result.tries}${tried}`;
  const where = result.item === undefined ? "" : ` (index ${result.index})`;
  const room = columns - `  ${where}: ${how}`.length;
  const item = result.item === undefined ? `index ${result.index}` : shortened(result.item, room);
  return [
    fitted(`  ${item}${where}: ${how}`, columns),
    // Not shortened: users copy it.
    ...(log === undefined ? [] : [`    log ${log}`]),
    `    run again with: tally retry ${name} --index ${result.index}${flags}`,
  ];
}

function endOf({ exitCode, signal, reason, message }: ItemResult): EndWords {
  return { exitCode, signal, reason, message };
}

function hints({ state }: RunStatus, { flags }: StatusWords): readonly string[] {
  const { name, phase, failed } = state;
  if (phase === "Stopped" || phase === "Paused")
    return [`  continue: tally resume ${name}${flags}`];
  if (phase !== "Failed" || failed === 0) return [];
  return [
    `  their output:   tally logs ${name} --failed${flags}`,
    `  run them again: tally retry ${name} --failed${flags}`,
  ];
}

const SHORTEST = 12;

function shortened(text: string, room: number): string {
  const letters = [...text];
  const most = Math.max(room, SHORTEST);
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

function fitted(line: string, columns: number): string {
  return shortened(line, columns);
}

export function statusObject(status: RunStatus): object {
  const { state, failures, waiting, nowMs } = status;
  const { rate, remainingMs } = paceOfStatus(status);
  const took = tookMsOf(state, nowMs);
  return {
    name: state.name,
    state: state.phase,
    ...(state.reason === undefined ? {} : { reason: state.reason }),
    ...(state.total === undefined ? {} : { total: state.total }),
    succeeded: state.succeeded,
    failed: state.failed,
    notRun: notRunOf(state),
    active: state.active,
    waiting,
    ...(state.startMs === undefined ? {} : { startTime: new Date(state.startMs).toISOString() }),
    ...(state.endMs === undefined ? {} : { endTime: new Date(state.endMs).toISOString() }),
    ...(took === undefined ? {} : { seconds: took / 1000 }),
    ...(rate === undefined ? {} : { rate }),
    ...(remainingMs === undefined ? {} : { remainingSeconds: remainingMs / 1000 }),
    failures: failures.map(({ result, log }) => ({
      ...(result.item === undefined ? {} : { item: result.item }),
      index: result.index,
      attempts: result.attempts,
      ...(result.exitCode === undefined ? {} : { exit: result.exitCode }),
      ...(result.signal === undefined ? {} : { signal: signalName(result.signal) }),
      ...(result.reason === undefined ? {} : { reason: result.reason }),
      ...(log === undefined ? {} : { log }),
    })),
  };
}
