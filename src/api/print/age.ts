/**
 * Pure: how long ago something happened, in human-readable form.
 *
 * This folder contains what the tables of a server and the descriptions of a client share: ages
 * here, labels and their selectors in selector.ts. It does not know any kind.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The age of a timestamp: `<unknown>` if it was never set, `<invalid>` if it is in the future. */
export function age(timestamp: string | null | undefined, now: Date): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>";
  return humanDuration(now.getTime() - Date.parse(timestamp));
}

/** Two units while both are relevant, otherwise one. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  // Clocks differ, so up to two seconds in the future count as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (milliseconds < 2 * MINUTE) return `${seconds}s`;
  if (milliseconds < 10 * MINUTE) return pair(milliseconds, { unit: MINUTE, rest: SECOND });
  if (milliseconds < 3 * HOUR) return single(milliseconds, MINUTE);
  if (milliseconds < 8 * HOUR) return pair(milliseconds, { unit: HOUR, rest: MINUTE });
  if (milliseconds < 2 * DAY) return single(milliseconds, HOUR);
  if (milliseconds < 8 * DAY) return pair(milliseconds, { unit: DAY, rest: HOUR });
  if (milliseconds < 2 * YEAR) return single(milliseconds, DAY);
  if (milliseconds < 8 * YEAR) return pair(milliseconds, { unit: YEAR, rest: DAY });
  return single(milliseconds, YEAR);
}

const LETTERS: ReadonlyMap<number, string> = new Map([
  [SECOND, "s"],
  [MINUTE, "m"],
  [HOUR, "h"],
  [DAY, "d"],
  [YEAR, "y"],
]);

function single(milliseconds: number, unit: number): string {
  return `${Math.floor(milliseconds / unit)}${LETTERS.get(unit) ?? ""}`;
}

function pair(milliseconds: number, units: { unit: number; rest: number }): string {
  const rest = milliseconds % units.unit;
  const whole = single(milliseconds, units.unit);
  return rest < units.rest ? whole : whole + single(rest, units.rest);
}
