/** Pure: what is said of items that are to be run again by somebody else. */
import { formatCount } from "../show/progress.ts";

export function retriedText(name: string, size: number): string {
  return `${formatCount(size)} ${size === 1 ? "item" : "items"} of ${name} to be run again`;
}
