/** Pure: the flags for failures: retries, timeouts and limits. */
import { UsageError } from "../../base/usage-error.ts";
import { readDurationMs } from "../../command/duration-flag.ts";
import type { FailureOptions } from "./run-request.ts";

export interface FailureFlags {
  readonly restart?: string;
  readonly retries?: string;
  readonly maxFailed?: string;
  readonly backoff?: string;
  readonly retryOn?: string;
  readonly failOn?: string;
  readonly timeout?: string;
  readonly halt?: string;
}

export function readFailureOptions(flags: FailureFlags): FailureOptions {
  const { restart, retries, maxFailed, backoff, retryOn, failOn, timeout, halt } = flags;
  return {
    ...(restart === undefined ? {} : { restart }),
    ...(retries === undefined ? {} : { retries: wholeNumber("--retries", retries) }),
    ...(maxFailed === undefined ? {} : { maxFailed: failureLimit(maxFailed) }),
    ...(backoff === undefined ? {} : { backoff: backoffOf(backoff) }),
    ...(retryOn === undefined ? {} : { retryOn: exitCodes("--retry-on", retryOn) }),
    ...(failOn === undefined ? {} : { failOn: exitCodes("--fail-on", failOn) }),
    ...(timeout === undefined ? {} : { timeoutSeconds: timeoutSeconds(timeout) }),
    ...(halt === undefined ? {} : { halt: haltOf(halt) }),
  };
}

export function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  throw new UsageError(`${flag} must be a whole number, not ${JSON.stringify(text)}`);
}

function failureLimit(text: string): { count: number } | { percent: number } {
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) };
  if (/^\d{1,9}$/.test(text)) return { count: Number(text) };
  throw new UsageError(
    `--max-failed must be a number of items, or a share such as 5%, not ${JSON.stringify(text)}`,
  );
}

/** The default cap is 60 s, or the base if that is longer. */
function backoffOf(text: string): { readonly base: string; readonly cap: string } {
  const [base = "", cap, more] = text.split(",");
  if (more !== undefined) {
    throw new UsageError(`--backoff must be BASE or BASE,CAP, not ${JSON.stringify(text)}`);
  }
  const baseMs = nonNegativeMs("--backoff", base);
  const capMs = cap === undefined ? Math.max(60_000, baseMs) : nonNegativeMs("--backoff", cap);
  if (capMs < baseMs) {
    throw new UsageError(`--backoff ${text} has a cap that is shorter than its base`);
  }
  return { base: `${baseMs}ms`, cap: `${capMs}ms` };
}

function nonNegativeMs(flag: string, text: string): number {
  const milliseconds = Math.round(readDurationMs(flag, text));
  if (milliseconds >= 0) return milliseconds;
  throw new UsageError(`${flag} cannot be negative`);
}

/** Kubernetes counts in seconds. */
function timeoutSeconds(text: string): number {
  const seconds = Math.ceil(nonNegativeMs("--timeout", text) / 1000);
  if (seconds > 0 && seconds < 2 ** 31) return seconds;
  throw new UsageError(`--timeout must be longer than nothing, not ${JSON.stringify(text)}`);
}

/** "1,3,10-20". Only the codes 1 to 255 are failures. */
function exitCodes(flag: string, text: string): readonly number[] {
  const codes: number[] = [];
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*(\d{1,3})(?:-(\d{1,3}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from < 1 || to > 255 || from > to) {
      throw new UsageError(
        `${flag} must be exit codes from 1 to 255, as in "1,3,10-20", not ${JSON.stringify(text)}`,
      );
    }
    for (let code = from; code <= to; code++) codes.push(code);
  }
  return codes;
}

function haltOf(text: string): "now" | "soon" {
  if (text === "now" || text === "soon") return text;
  throw new UsageError(`--halt must be now or soon, not ${JSON.stringify(text)}`);
}
