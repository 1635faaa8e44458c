/** Pure: when a pod ran, to the millisecond, as an annotation that its node writes. */

/** On a pod: "1767225600123-1767225600456", milliseconds since 1970. */
export const EXACT_TIMES = "tallyjob.io/ran";

export interface ExactTimes {
  readonly startedMs: number;
  readonly finishedMs: number;
}

export function formatExactTimes({ startedMs, finishedMs }: ExactTimes): string {
  return `${Math.round(startedMs)}-${Math.round(finishedMs)}`;
}

export function parseExactTimes(text: string | undefined): ExactTimes | undefined {
  const [, started, finished] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? "") ?? [];
  if (started === undefined || finished === undefined) return undefined;
  return { startedMs: Number(started), finishedMs: Number(finished) };
}
