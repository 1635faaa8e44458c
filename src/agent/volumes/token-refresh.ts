/** Pure: when a token is replaced: with a fifth of its time left, and once a day at least. */
import type { IssuedToken } from "../../api/client.ts";

const PART = 0.8;
const LONGEST_MS = 24 * 60 * 60 * 1000;
/** Never at once: a clock that is ahead would ask for one token after the other. */
const SHORTEST_MS = 10_000;

export function refreshDelayMs({ expirationTimestamp }: IssuedToken, nowMs: number): number {
  const lifeMs = Date.parse(expirationTimestamp) - nowMs;
  return Math.max(SHORTEST_MS, Math.min(LONGEST_MS, lifeMs * PART));
}
