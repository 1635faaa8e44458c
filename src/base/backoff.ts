/** Pure: how long to wait before the next retry, depending on the number of failures. */

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** 2 by default. */
  readonly factor?: number;
}

/** 0 without failures, then firstMs, twice that, four times, … up to maxMs. */
export function backoffMs({ firstMs, maxMs, factor = 2 }: Backoff, failures: number): number {
  if (failures <= 0) return 0;
  return Math.min(maxMs, firstMs * factor ** (failures - 1));
}
