/** Pure: the summary of a run, with hints what to do next, and its exit code. */
import type { AttemptEnd } from "../follow/attempt.ts";
import type { RunBook } from "../follow/run-book.ts";
import { endText, itemText, type RunWords } from "./item-text.ts";
import { formatCount, formatTime } from "./progress.ts";

export type RunEnd =
  /** The Job has finished. */
  | "finished"
  /** The user has stopped it; it can be resumed. */
  | "interrupted"
  /** The Job was deleted or replaced. */
  | "gone"
  /** The reader of the output is gone. */
  | "unread";

export interface Summary {
  readonly end: RunEnd;
  readonly name: string;
  readonly total: number | undefined;
  readonly succeeded: number;
  readonly failed: number;
  /** Items that were not started, or stopped; 0 if the total is unknown. */
  readonly notRun: number;
  readonly retries: number;
  /** Why the Job failed: "MaxFailedIndexesExceeded". */
  readonly reason: string | undefined;
  readonly tookMs: number;
  readonly failures: readonly AttemptEnd[];
  readonly exitCode: number;
}

/** The most failures in a summary; `tally results` has all of them. */
export const MAX_FAILURES_SHOWN = 10;

/** The exit code of a shell for a process that SIGINT has ended. */
export const INTERRUPTED = 130;
/** The same for SIGPIPE. */
const UNREAD = 141;
export const SOME_FAILED = 1;
/** Tally itself has failed. GNU tools use the same code. */
export const BROKEN_OFF = 125;

export function summarize(
  end: RunEnd,
  book: RunBook,
  about: Pick<Summary, "name" | "tookMs" | "failures">,
): Summary {
  const { total, succeeded, failed, retries, finish } = book;
  const notRun = total === undefined ? 0 : Math.max(0, total - succeeded - failed);
  const hasFailed = finish ? finish.type === "Failed" : failed > 0;
  const reason = finish?.type === "Failed" ? finish.reason : undefined;
  const exitCode = codeOf(end, hasFailed);
  return { end, total, succeeded, failed, notRun, retries, reason, exitCode, ...about };
}

function codeOf(end: RunEnd, hasFailed: boolean): number {
  switch (end) {
    case "finished":
      return hasFailed ? SOME_FAILED : 0;
    case "interrupted":
      return INTERRUPTED;
    case "unread":
      return UNREAD;
    case "gone":
      return BROKEN_OFF;
  }
}

/** The summary as lines for people. */
export function summaryLines(summary: Summary, words: RunWords): readonly string[] {
  const { name, flags } = words;
  const lines = [headline(summary)];
  for (const failure of summary.failures.slice(0, MAX_FAILURES_SHOWN)) {
    lines.push(`  ${itemText(failure)}: ${endText(failure)}, log ${words.logOf(failure)}`);
  }
  const more = summary.failed - Math.min(summary.failures.length, MAX_FAILURES_SHOWN);
  if (more > 0 && summary.failures.length > 0) lines.push(`  and ${formatCount(more)} more`);
  const hints: [string, string][] = [];
  if (summary.end === "interrupted") hints.push(["continue", `tally resume ${name}${flags}`]);
  if (summary.failed > 0 && summary.end === "finished") {
    hints.push(["their output", `tally logs ${name} --failed${flags}`]);
    hints.push(["run them again", `tally retry ${name} --failed${flags}`]);
  }
  if (hints.length > 0) hints.push(["every item", `tally results ${name}${flags}`]);
  const width = Math.max(0, ...hints.map(([what]) => what.length));
  for (const [what, command] of hints) lines.push(`  ${`${what}:`.padEnd(width + 1)} ${command}`);
  return lines;
}

function headline(summary: Summary): string {
  const { name, total, succeeded, failed, notRun, retries, tookMs, end, reason } = summary;
  const of = total === undefined ? "" : ` of ${formatCount(total)}`;
  const parts = [`${formatCount(succeeded)}${of} succeeded`];
  if (failed > 0) parts.push(`${formatCount(failed)} failed`);
  if (notRun > 0) parts.push(`${formatCount(notRun)} not run`);
  if (retries > 0) parts.push(`${formatCount(retries)} tried again`);
  const why = reason !== undefined && reason !== "FailedIndexes" ? ` (${reason})` : "";
  return `${name}: ${ENDED[end]}${parts.join(", ")} in ${formatTime(tookMs)}${why}`;
}

const ENDED: { readonly [end in RunEnd]: string } = {
  finished: "",
  interrupted: "stopped; ",
  unread: "stopped, since nobody reads its output; ",
  gone: "deleted by somebody; ",
};
