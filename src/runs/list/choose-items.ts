/** Finds the items that a command names, by index or by name. */
import type { Job } from "../../api/generated/batch.ts";
import { addIndex, emptyIndexes, type IndexSet } from "../../api/index-set.ts";
import type { Items } from "../../api/work-list/items.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { suggestion } from "./near-words.ts";

export interface ItemChoice {
  /** "3,7-9" */
  readonly index?: string;
  /** The name or the value of an item. */
  readonly item?: string;
  /** An index list or an item. */
  readonly word?: string;
}

/** Throws a UsageError for an invalid index, and a CommandFailure for an unknown item. */
export function chooseIndexes(job: Job, items: Items, choice: ItemChoice): IndexSet {
  const { index, item, word } = choice;
  if (item !== undefined) return indexesOf(items, item);
  if (index !== undefined) return parseIndexList(index, totalOf(job), "--index");
  if (word !== undefined && /^\d[\d,-]*$/.test(word)) {
    return parseIndexList(word, totalOf(job), "the index");
  }
  return indexesOf(items, word ?? "");
}

function totalOf({ spec }: Job): number {
  return spec.completions ?? 0;
}

/** Unlike parseIndexes it rejects invalid parts: a user has typed the list. */
export function parseIndexList(text: string, total: number, what: string): IndexSet {
  const set = emptyIndexes();
  for (const part of text.split(",")) {
    const [, from = "", to = from] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || first > last) {
      throw new UsageError(`${what} must be like "3,7-9", not ${JSON.stringify(text)}`);
    }
    if (last >= total) {
      const range = total === 0 ? "the run has none" : `they are 0 to ${total - 1}`;
      throw new CommandFailure(`error: there is no index ${last}: ${range}`);
    }
    for (let index = first; index <= last; index++) addIndex(set, index);
  }
  return set;
}

function indexesOf(items: Items, item: string): IndexSet {
  const found = items.find(item);
  if (found.length === 0) {
    const hint = suggestion(item, items.names());
    throw new CommandFailure(`error: the run has no item ${JSON.stringify(item)}${hint}`);
  }
  const set = emptyIndexes();
  for (const index of found) addIndex(set, index);
  return set;
}
