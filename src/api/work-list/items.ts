/** Pure: the items that the indexes of a Job stand for. */
import type { Job } from "../generated/batch.ts";
import { type FindListObject, type ListObjectName, listNameOf, openList } from "./opened-list.ts";
import {
  itemCount,
  itemName,
  type ListShape,
  type Values,
  valuesAt,
  type WorkList,
} from "./work-list.ts";

export interface Items {
  /** Empty without a list, and for a list that is kept secret. */
  readonly parameters: readonly string[];
  /** In the order of the parameters; undefined if the item of the index is unknown. */
  valuesAt(index: number): Values | undefined;
  /** The name of the item. */
  nameAt(index: number): string | undefined;
  /** The indexes of an item, by its name or its value: a list may contain it more than once. */
  find(item: string): readonly number[];
  /** The names of all items, in the order of the list. */
  names(): Iterable<string>;
}

export function openItems(job: Job, find: FindListObject): Items {
  const name = listNameOf(job);
  return name ? itemsNamed(name, find) : NO_ITEMS;
}

/** The values of a Secret are not shown: they do not belong into a table of results. */
export function itemsNamed(name: ListObjectName, find: FindListObject): Items {
  const list = name.kind === "Secret" ? undefined : openList(name, find);
  if (!list) return NO_ITEMS;
  return itemsWith(list.header, list.header.items, (index) => list.valuesAt(index));
}

export function itemsOfList(list: WorkList): Items {
  return itemsWith(list, itemCount(list), (index) => valuesAt(list, index));
}

export const NO_ITEMS: Items = itemsWith({ parameters: [] }, 0, () => undefined);

function itemsWith(
  shape: ListShape,
  count: number,
  read: (index: number) => Values | undefined,
): Items {
  const valuesAt = (index: number) => (index < count ? read(index) : undefined);
  const nameAt = (index: number) => {
    const values = valuesAt(index);
    return values && itemName(shape, values);
  };
  return {
    parameters: shape.parameters,
    valuesAt,
    nameAt,
    find: (item) => {
      const found: number[] = [];
      for (let index = 0; index < count; index++) {
        const values = read(index);
        if (!values) continue;
        const isItem = values.length === 1 && values[0] === item;
        if (isItem || itemName(shape, values) === item) found.push(index);
      }
      return found;
    },
    *names() {
      for (let index = 0; index < count; index++) {
        const name = nameAt(index);
        if (name !== undefined) yield name;
      }
    },
  };
}
