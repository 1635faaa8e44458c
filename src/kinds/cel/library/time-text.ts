/** Pure: parses and formats timestamps and durations. */
import { CelError, type Duration, Timestamp } from "../value.ts";

const RFC3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

export function parseTimestamp(text: string): Timestamp {
  const [, seconds, fraction = "", zone] = RFC3339.exec(text) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) throw new CelError(`invalid timestamp ${JSON.stringify(text)}`);
  return new Timestamp(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}

export function formatTimestamp({ nanoseconds }: Timestamp): string {
  const millisecond = Number(nanoseconds / 1_000_000n);
  const text = new Date(millisecond).toISOString().slice(0, 19);
  return `${text}${fractionOf(((nanoseconds % NANOS) + NANOS) % NANOS)}Z`;
}

const NANOS = 1_000_000_000n;

export function formatDuration({ nanoseconds }: Duration): string {
  const isNegative = nanoseconds < 0n;
  const size = isNegative ? -nanoseconds : nanoseconds;
  return `${isNegative ? "-" : ""}${size / NANOS}${fractionOf(size % NANOS)}s`;
}

function fractionOf(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "";
  return `.${String(nanoseconds).padStart(9, "0").replace(/0+$/, "")}`;
}
