/** Pure: the rate and the remaining time of a run, and formats for numbers and times. */

/** How many items had ended at a time. */
export interface Sample {
  readonly atMs: number;
  readonly done: number;
}

/** A rate is measured over the last 30 seconds: an older one says little about the next minute. */
const WINDOW_MS = 30_000;
const LEAST_WINDOW_MS = 1_000;
const MAX_SAMPLES = 120;
const SAMPLE_EVERY_MS = WINDOW_MS / MAX_SAMPLES;

/** Adds a sample, and drops those that are too old. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last && sample.atMs - last.atMs < SAMPLE_EVERY_MS && samples.length > 1) {
    return [...samples.slice(0, -1), { ...sample, atMs: last.atMs, done: sample.done }];
  }
  const young = samples.findIndex(({ atMs }) => atMs >= sample.atMs - WINDOW_MS);
  // One sample before the window is kept, so that the rate spans all of it.
  const from = young < 0 ? samples.length - 1 : Math.max(0, young - 1);
  return [...samples.slice(Math.max(0, from)), sample];
}

export interface Pace {
  /** Items per second; undefined if it is not known yet. */
  readonly rate: number | undefined;
  /** Undefined if it is not known yet. */
  readonly remainingMs: number | undefined;
}

export function paceOf(samples: readonly Sample[], now: Sample, total: number | undefined): Pace {
  const [first] = samples;
  const spanMs = first ? now.atMs - first.atMs : 0;
  const grown = first ? now.done - first.done : 0;
  if (spanMs < LEAST_WINDOW_MS || grown <= 0) return { rate: undefined, remainingMs: undefined };
  const rate = (grown * 1000) / spanMs;
  const left = total === undefined ? undefined : Math.max(0, total - now.done);
  return { rate, remainingMs: left === undefined ? undefined : (left / rate) * 1000 };
}

/** "0.4/s", "12/s", "3/min". */
export function formatRate(rate: number): string {
  if (rate >= 9.95) return `${Math.round(rate)}/s`;
  if (rate >= 0.95) return `${rate.toFixed(1)}/s`;
  const perMinute = rate * 60;
  return perMinute >= 0.95 ? `${Math.round(perMinute)}/min` : `${(perMinute * 60).toFixed(1)}/h`;
}

/** "0.4s", "12s", "3m05s", "2h07m", "3d4h". */
export function formatTime(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 9.95) return `${(Math.round(seconds * 10) / 10).toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${twoDigits(whole % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${hours % 24}h`;
}

/** A duration of an attempt, which may be shorter than a second: "12 ms", "3m05s". */
export function formatLength(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : formatTime(seconds * 1000);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** "1234567" as "1,234,567". */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
