/** Pure: composes the lines of the live screen of a run. */
import { formatCount, formatRate, formatTime, type Pace } from "../progress.ts";
import { cut, pad, printable, widthOf } from "./cut.ts";

export interface RunView {
  readonly name: string;
  readonly total: number | undefined;
  readonly succeeded: number;
  readonly failed: number;
  /** Items that failed and wait for a retry. */
  readonly waiting: number;
  readonly parallelism: number;
  readonly state: "running" | "paused" | "stopping" | "ending";
  readonly pace: Pace;
  readonly elapsedMs: number;
  /** The running items that fit on the screen; runningCount is the number of all. */
  readonly running: readonly RunningView[];
  readonly runningCount: number;
  /** The log of one item, shown instead of the list. */
  readonly log?: { readonly title: string; readonly lines: readonly string[] };
  readonly hasKeys: boolean;
}

export interface RunningView {
  readonly item: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly forMs: number;
  readonly lastLine: string;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export type Style = "plain" | "bold" | "dim" | "red" | "green" | "yellow";
/** A part of a line with its style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}
export type Line = readonly Span[];

/** Rows for the progress bar and the key line, and some for earlier output. */
const LEAST_ROWS = 4;
const MOST_RUNNING = 12;

/** How many running items the screen shows. */
export function roomForItems({ rows }: ScreenSize): number {
  return Math.max(0, Math.min(MOST_RUNNING, rows - LEAST_ROWS));
}

/** How many lines of a log the screen shows. */
export function roomForLog({ rows }: ScreenSize): number {
  return Math.max(1, rows - LEAST_ROWS - 1);
}

export function viewRun(view: RunView, size: ScreenSize): readonly Line[] {
  // The last column stays free: some terminals wrap there.
  const columns = Math.max(20, size.columns - 1);
  const body = view.log ? logLines(view.log, columns, size) : itemLines(view, columns, size);
  const keys = view.hasKeys ? [keyLine(view, columns)] : [];
  return [progressLine(view, columns), ...body, ...keys];
}

function progressLine(view: RunView, columns: number): Line {
  const { name, total, failed, waiting } = view;
  const done = view.succeeded + failed;
  const facts: Span[] = [];
  let width = 0;
  // Facts that do not fit are left out: the first ones matter most.
  const add = (text: string, style: Style = "plain") => {
    if (width + text.length + 3 > columns) return;
    facts.push({ text: `  ${text}`, style });
    width += text.length + 2;
  };
  add(total === undefined ? formatCount(done) : `${formatCount(done)}/${formatCount(total)}`);
  if (total !== undefined) add(`${Math.min(100, Math.floor((done / Math.max(1, total)) * 100))}%`);
  if (failed > 0) add(`${formatCount(failed)} failed`, "red");
  if (waiting > 0) add(`${formatCount(waiting)} to retry`, "yellow");
  if (view.state !== "running") add(view.state, "yellow");
  else for (const text of paceTexts(view)) add(text);
  const title = cut(name, Math.min(24, columns - width - 1));
  const room = Math.min(MOST_BAR, columns - width - widthOf(title) - 1);
  return [
    { text: title, style: "bold" },
    { text: " ", style: "plain" },
    ...(total !== undefined && room >= LEAST_BAR ? bar(view.succeeded, failed, total, room) : []),
    ...facts,
  ];
}

const MOST_BAR = 40;
const LEAST_BAR = 8;

function paceTexts({ pace, elapsedMs }: RunView): readonly string[] {
  const { rate, remainingMs } = pace;
  if (rate === undefined) return [formatTime(elapsedMs)];
  const left = remainingMs === undefined ? [] : [`ETA ${formatTime(remainingMs)}`];
  return [formatRate(rate), ...left];
}

function bar(succeeded: number, failed: number, total: number, columns: number): Line {
  const cells = (count: number) => Math.round((count / Math.max(1, total)) * columns);
  const good = Math.min(columns, cells(succeeded));
  const bad = Math.min(columns - good, failed > 0 ? Math.max(1, cells(failed)) : 0);
  return [
    { text: "━".repeat(good), style: "green" },
    { text: "━".repeat(bad), style: "red" },
    { text: "─".repeat(columns - good - bad), style: "dim" },
  ];
}

function itemLines(view: RunView, columns: number, size: ScreenSize): readonly Line[] {
  const room = roomForItems(size);
  const isTooMany = view.runningCount > room;
  const shown = view.running.slice(0, isTooMany ? room - 1 : room);
  const longest = Math.max(0, ...shown.map((each) => widthOf(printable(nameOf(each)))));
  const nameWidth = Math.min(longest, Math.floor(columns * 0.4));
  const lines = shown.map((each): Line => {
    const time = formatTime(each.forMs).padStart(7);
    const used = 2 + nameWidth + time.length + 2;
    return [
      { text: `  ${pad(nameOf(each), nameWidth)}`, style: "plain" },
      { text: time, style: "dim" },
      { text: `  ${cut(each.lastLine, columns - used)}`, style: "dim" },
    ];
  });
  const more = view.runningCount - shown.length;
  if (more > 0 && room > 0) lines.push([{ text: `  and ${more} more`, style: "dim" }]);
  return lines;
}

function nameOf({ item, attempt }: RunningView): string {
  return attempt > 1 ? `${item} (attempt ${attempt})` : item;
}

function logLines(
  { title, lines }: NonNullable<RunView["log"]>,
  columns: number,
  size: ScreenSize,
): readonly Line[] {
  const shown = lines.slice(-roomForLog(size));
  return [
    [{ text: cut(`  ${title}`, columns), style: "bold" }],
    ...shown.map((line): Line => [{ text: cut(`  ${line}`, columns), style: "plain" }]),
  ];
}

function keyLine({ state, parallelism, log }: RunView, columns: number): Line {
  const quit = state === "stopping" ? "q end now" : "q quit";
  const keys = log
    ? ["l back", "n next", quit]
    : [state === "paused" ? "p go on" : "p pause", `+/- at once (${parallelism})`, "l log", quit];
  return [{ text: cut(`  ${keys.join("   ")}`, columns), style: "dim" }];
}

/** A line with escape codes for colours, or as plain text. */
export function paintLine(line: Line, isColored: boolean): string {
  if (!isColored) return line.map(({ text }) => text).join("");
  return line.map(({ text, style }) => (text === "" ? "" : painted(text, style))).join("");
}

const CODES: { readonly [style in Exclude<Style, "plain">]: number } = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
};

function painted(text: string, style: Style): string {
  return style === "plain" ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`;
}
