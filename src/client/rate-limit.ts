/**
 * Pure: so many requests a second and no more, after a burst. A bucket of tokens that fills with
 * time: whoever comes takes one at once, and waits until the one he took would have been there. So
 * requests go out in the order they came.
 */

export interface RateLimit {
  /** Requests a second in the long run. */
  readonly qps: number;
  /** Requests that may go out at once after a quiet time. */
  readonly burst: number;
}

export interface Bucket {
  /** Below zero: taken before they are there. */
  readonly tokens: number;
  readonly sinceMs: number;
}

export interface Turn {
  readonly bucket: Bucket;
  readonly delayMs: number;
}

export function fullBucket({ burst }: RateLimit, nowMs: number): Bucket {
  return { tokens: burst, sinceMs: nowMs };
}

export function takeTurn(limit: RateLimit, { tokens, sinceMs }: Bucket, nowMs: number): Turn {
  const { qps, burst } = limit;
  const filled = Math.min(burst, tokens + ((nowMs - sinceMs) * qps) / 1000);
  const left = filled - 1;
  return {
    bucket: { tokens: left, sinceMs: nowMs },
    delayMs: left >= 0 ? 0 : (-left * 1000) / qps,
  };
}
