/** Pure: how long to wait before the next try, from how often it has failed. */

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** 2 unless said otherwise. */
  readonly factor?: number;
}

/** Nothing after no failure, then firstMs, twice that, four times, … up to maxMs. */
export function backoffMs({ firstMs, maxMs, factor = 2 }: Backoff, failures: number): number {
  if (failures <= 0) return 0;
  return Math.min(maxMs, firstMs * factor ** (failures - 1));
}
