/** Pure: the offset of a time zone from UTC at a given moment. */

/** Cached: creating a format takes as long as a thousand uses of it. */
const formats = new Map<string, Intl.DateTimeFormat>();

export function zoneOffsetMs(timeZone: string, atMs: number): number {
  if (timeZone === "UTC") return 0;
  const shown = new Map<string, number>();
  for (const { type, value } of formatOf(timeZone).formatToParts(atMs)) {
    shown.set(type, Number(value));
  }
  const part = (name: string) => shown.get(name) ?? 0;
  const wallMs = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return wallMs - Math.floor(atMs / 1000) * 1000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, made);
  return made;
}
