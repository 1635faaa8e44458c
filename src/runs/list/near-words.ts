/** Pure: suggests words for a mistyped one. */
import { editDistance } from "../../base/edit-distance.ts";

const MOST_LETTERS = 80;
const MOST_CANDIDATES = 1_000_000;

export function nearWords(meant: string, words: Iterable<string>, most = 3): readonly string[] {
  const wanted = normal(meant);
  const found: { readonly word: string; readonly distance: number }[] = [];
  let looked = 0;
  for (const word of words) {
    if (looked++ >= MOST_CANDIDATES) break;
    const distance = distanceTo(wanted, normal(word));
    if (distance === undefined || found.some((each) => each.word === word)) continue;
    if (found.length === most && distance >= (found.at(-1)?.distance ?? 0)) continue;
    found.push({ word, distance });
    found.sort((one, other) => one.distance - other.distance);
    if (found.length > most) found.pop();
  }
  return found.map(({ word }) => word);
}

/** " (did you mean a, b or c?)", or an empty text. */
export function suggestion(meant: string, words: Iterable<string>): string {
  const near = nearWords(meant, words);
  if (near.length === 0) return "";
  const [last, ...before] = [...near].reverse();
  const all = before.length === 0 ? last : `${before.reverse().join(", ")} or ${last}`;
  return ` (did you mean ${all}?)`;
}

function normal(word: string): string {
  return word.toLowerCase().slice(0, MOST_LETTERS);
}

/** A substring is closer than a word with mistakes. Undefined if the words are not similar. */
function distanceTo(wanted: string, word: string): number | undefined {
  if (wanted === word) return 0;
  if (wanted.length >= 2 && word.includes(wanted)) return 1 - wanted.length / word.length;
  const limit = Math.max(1, Math.floor(wanted.length / 4));
  if (Math.abs(wanted.length - word.length) > limit) return undefined;
  const mistakes = editDistance(wanted, word);
  return mistakes <= limit ? mistakes : undefined;
}
