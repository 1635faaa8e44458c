/**
 * A structured log, one line per record: a constant message and fields that vary. People read it on
 * a terminal, programs read it elsewhere. No value can start a new line, so that clients cannot
 * forge records.
 */
import { type Clock, systemClock } from "./clock.ts";
import { describeError } from "./describe-error.ts";
import { LOG_LEVELS, type LogLevel } from "./log-level.ts";

/** An Error is printed as its message and those of its causes. */
export interface LogFields {
  readonly [name: string]: unknown;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log, with these fields on every record. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "json" | "text" | "colored text";
  readonly write: (line: string) => void;
  readonly clock?: Clock;
}

export function openLog(options: LogOptions): Log {
  return childLog({ clock: systemClock, ...options }, {});
}

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

function childLog(options: Required<LogOptions>, own: LogFields): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const format = options.format === "json" ? formatJson : formatText;
  const at = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < threshold) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const time = new Date(options.clock.nowMs()).toISOString();
      const all = { ...own, ...fields };
      const record = { time, level, message, fields: level === "error" ? withStack(all) : all };
      options.write(`${format(record, options.format === "colored text")}\n`);
    };
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => childLog(options, { ...own, ...fields }),
  };
}

interface LogRecord {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A stack is useful only for errors; a warning does not need it. */
function withStack(fields: LogFields): LogFields {
  const { error } = fields;
  return error instanceof Error && error.stack ? { ...fields, stack: error.stack } : fields;
}

function formatJson({ time, level, message, fields }: LogRecord): string {
  const header = { time, level, message: shorten(message) };
  const values = Object.entries(fields).map(([name, value]) => [name, plainValue(value)]);
  // The header is repeated last so that a field cannot replace it; its keys keep their first place.
  return escapeControls(JSON.stringify({ ...header, ...Object.fromEntries(values), ...header }));
}

function formatText({ time, level, message, fields }: LogRecord, colored: boolean): string {
  const paint = (code: number, text: string) => (colored ? `\x1b[${code}m${text}\x1b[0m` : text);
  const clockTime = time.slice(11, 23);
  const name = level.toUpperCase().padEnd(5);
  const parts = [paint(DIM, clockTime), paint(COLORS[level], name), bareText(shorten(message))];
  for (const [field, value] of Object.entries(fields)) {
    parts.push(`${paint(DIM, `${quoteUnlessPlain(field)}=`)}${formatValue(plainValue(value))}`);
  }
  return parts.join(" ");
}

const DIM = 2;
const COLORS: Record<LogLevel, number> = { debug: 35, info: 32, warn: 33, error: 31 };

/** The maximum length of a value in the log: a request body must not flood the log file. */
const LONGEST_VALUE = 8192;

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return shorten(describeError(value));
  if (typeof value === "string") return shorten(value);
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return value;
  const text = stringify(value);
  return text.length > LONGEST_VALUE ? shorten(text) : JSON.parse(text);
}

function stringify(value: object): string {
  try {
    return JSON.stringify(value) ?? '""';
  } catch {
    // A cycle or a nested BigInt. Logging must not fail.
    return '"[unprintable]"';
  }
}

function shorten(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  return `${text.slice(0, LONGEST_VALUE)}… (${text.length - LONGEST_VALUE} more)`;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return quoteUnlessPlain(value);
  return escapeControls(JSON.stringify(value) ?? "undefined");
}

function quoteUnlessPlain(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : escapeControls(JSON.stringify(text));
}

/** The text without quotes, with control characters escaped. */
function bareText(text: string): string {
  return escapeControls(JSON.stringify(text)).slice(1, -1).replaceAll('\\"', '"');
}

/** Escapes characters that JSON leaves as they are, but that affect terminals or line readers. */
function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
