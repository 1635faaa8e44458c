/** Pure: functions for timestamps and durations. */
import type { Library, Run } from "../functions.ts";
import { CelError, Duration, Timestamp } from "../value.ts";

const HOUR = 3_600_000_000_000n;
const MINUTE = 60_000_000_000n;
const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;

const nanos = (value: unknown) => (value as Timestamp | Duration).nanoseconds;

/** A part of a timestamp in a time zone, given as a name or as an offset from UTC. */
const part = (read: (parts: Parts) => number): Run => {
  return ([moment, zone]) => BigInt(read(partsOf(nanos(moment), (zone as string) ?? "UTC")));
};

interface Parts {
  readonly date: Date;
}

/** The local time in the zone, represented as if it were UTC. */
function partsOf(nanoseconds: bigint, zone: string): Parts {
  const milliseconds = Number(nanoseconds / MILLISECOND);
  const [, sign, hours, minutes] = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) ?? [];
  if (hours !== undefined) {
    const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
    return { date: new Date(milliseconds + ahead) };
  }
  if (zone === "UTC" || zone === "") return { date: new Date(milliseconds) };
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const found = new Map(
      format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]),
    );
    const of = (name: Intl.DateTimeFormatPartTypes) => found.get(name) ?? 0;
    const shifted = Date.UTC(
      of("year"),
      of("month") - 1,
      of("day"),
      of("hour"),
      of("minute"),
      of("second"),
    );
    return { date: new Date(shifted + (((milliseconds % 1000) + 1000) % 1000)) };
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

const YEAR_START = (date: Date) => Date.UTC(date.getUTCFullYear(), 0, 1);

const PARTS: { readonly [name: string]: (parts: Parts) => number } = {
  getFullYear: ({ date }) => date.getUTCFullYear(),
  getMonth: ({ date }) => date.getUTCMonth(),
  getDate: ({ date }) => date.getUTCDate(),
  getDayOfMonth: ({ date }) => date.getUTCDate() - 1,
  getDayOfWeek: ({ date }) => date.getUTCDay(),
  getDayOfYear: ({ date }) => Math.floor((date.getTime() - YEAR_START(date)) / 86_400_000),
  getHours: ({ date }) => date.getUTCHours(),
  getMinutes: ({ date }) => date.getUTCMinutes(),
  getSeconds: ({ date }) => date.getUTCSeconds(),
  getMilliseconds: ({ date }) => date.getUTCMilliseconds(),
};

export const times: Library = {
  "_+_(timestamp, duration): timestamp": ([one, other]) => new Timestamp(nanos(one) + nanos(other)),
  "_+_(duration, timestamp): timestamp": ([one, other]) => new Timestamp(nanos(one) + nanos(other)),
  "_+_(duration, duration): duration": ([one, other]) => new Duration(nanos(one) + nanos(other)),
  "_-_(timestamp, duration): timestamp": ([one, other]) => new Timestamp(nanos(one) - nanos(other)),
  "_-_(timestamp, timestamp): duration": ([one, other]) => new Duration(nanos(one) - nanos(other)),
  "_-_(duration, duration): duration": ([one, other]) => new Duration(nanos(one) - nanos(other)),
  "-_(duration): duration": ([one]) => new Duration(-nanos(one)),
  "duration.getHours(): int": ([span]) => nanos(span) / HOUR,
  "duration.getMinutes(): int": ([span]) => nanos(span) / MINUTE,
  "duration.getSeconds(): int": ([span]) => nanos(span) / SECOND,
  "duration.getMilliseconds(): int": ([span]) => nanos(span) / MILLISECOND,
  ...Object.fromEntries(
    Object.entries(PARTS).flatMap(([name, read]) => [
      [`timestamp.${name}(): int`, part(read)],
      [`timestamp.${name}(string): int`, part(read)],
    ]),
  ),
};
