/** Pure: how long something took, in the unit that fits. */
import { formatTime } from "../progress.ts";

export function formatLength(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : formatTime(seconds * 1000);
}
