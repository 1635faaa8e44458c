/**
 * Pure: limits requests to a rate per second, after a burst. A token bucket that refills over time:
 * each request takes a token at once, and waits until that token would have been available. So
 * requests are sent in the order in which they arrived.
 */

export interface RateLimit {
  /** Requests per second in the long run. */
  readonly qps: number;
  /** Requests that may be sent at once after a quiet time. */
  readonly burst: number;
}

export interface Bucket {
  /** Negative if tokens were taken before they were available. */
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
