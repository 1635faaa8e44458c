/**
 * Pure: lists after the command, with the syntax of GNU parallel: "::: a b ::: 1 2" is every
 * combination, ":::+" is linked to the list before it item by item, and "::::" names files.
 */

import { ITEM_PARAMETER, MAX_ITEMS, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export interface ArgumentSource {
  /** As typed. */
  readonly separator: string;
  /** Linked to the list before it, item by item. */
  readonly isLinked: boolean;
  /** Whether the words are files with one item per line. */
  readonly areFiles: boolean;
  readonly words: readonly string[];
}

export interface SplitWords {
  readonly command: readonly string[];
  readonly sources: readonly ArgumentSource[];
}

const SEPARATOR = /^:::(:?)(\+?)$/;

export function splitSources(words: readonly string[]): SplitWords {
  const starts = words.flatMap((word, at) => (SEPARATOR.test(word) ? [at] : []));
  const [first = words.length] = starts;
  const sources = starts.map((start, at) => {
    const separator = words[start] ?? "";
    const [, colon, plus] = SEPARATOR.exec(separator) ?? [];
    const values = words.slice(start + 1, starts[at + 1]);
    if (values.length === 0) throw new UsageError(`there is nothing after ${separator}`);
    if (plus === "+" && at === 0) {
      throw new UsageError(`${separator} goes along with a list before it, and there is none`);
    }
    return { separator, isLinked: plus === "+", areFiles: colon === ":", words: values };
  });
  return { command: words.slice(0, first), sources };
}

export interface LinkedValues {
  readonly isLinked: boolean;
  readonly values: readonly string[];
}

/** Every combination; the last list changes fastest. */
export function combine(lists: readonly LinkedValues[]): WorkList {
  const groups = groupLinked(lists);
  const count = groups.reduce((product, [first]) => product * (first?.length ?? 0), 1);
  if (count > MAX_ITEMS)
    throw new UsageError(`there are ${count} combinations, above ${MAX_ITEMS}`);
  const columns: string[][] = [];
  let repeat = count;
  for (const group of groups) {
    const length = group[0]?.length ?? 0;
    repeat /= length;
    for (const values of group) {
      const column = new Array<string>(count);
      for (let index = 0; index < count; index++) {
        column[index] = values[Math.floor(index / repeat) % length] ?? "";
      }
      columns.push(column);
    }
  }
  const parameters = columns.length === 1 ? [ITEM_PARAMETER] : columns.map(positionName);
  return { parameters, columns };
}

function positionName(_: unknown, at: number): string {
  return `${ITEM_PARAMETER}_${at + 1}`;
}

function groupLinked(lists: readonly LinkedValues[]): readonly (readonly string[])[][] {
  const groups: (readonly string[])[][] = [];
  lists.forEach(({ isLinked, values }, at) => {
    const group = groups.at(-1);
    if (!isLinked || !group) {
      groups.push([values]);
      return;
    }
    const length = group[0]?.length ?? 0;
    if (length !== values.length) {
      throw new UsageError(
        `list ${at} has ${length} values and list ${at + 1}, which goes along with it, has ` +
          `${values.length}: they must be equally many`,
      );
    }
    group.push(values);
  });
  return groups;
}
