/** The work list of a run as it is stored, read through a Client. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { addIndex, emptyIndexes, firstExcept } from "../../api/index-set.ts";
import { configMaps, secrets } from "../../api/resources.ts";
import type { HistoryRange } from "../../api/work-list/item-history.ts";
import { listObjectName } from "../../api/work-list/items.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import {
  type Chunk,
  type ListHeader,
  type ListObject,
  type ListPast,
  openChunk,
  parseHeader,
} from "../../api/work-list/stored-list.ts";
import { itemName, type WorkList } from "../../api/work-list/work-list.ts";
import { findObject } from "../../client/find.ts";

export interface StoredList {
  readonly list: WorkList;
  readonly past: ListPast;
}

/** Undefined for a run that has none, or whose list is not there. */
export async function readStoredList(client: Client, job: Job): Promise<StoredList | undefined> {
  const first = await readChunk(client, job, 0);
  const parsed = first && parseHeader(first);
  if (!first || !parsed || "problem" in parsed) return undefined;
  const { header } = parsed;
  const columns = header.parameters.map((): string[] => []);
  const ranges: HistoryRange[] = [];
  const done = emptyIndexes();
  for (let at = 0; at < header.starts.length; at++) {
    const object = at === 0 ? first : await readChunk(client, job, at);
    const chunk = object && openChunk(header, at, object);
    if (!chunk || !addRows(columns, header, at, chunk)) return undefined;
    for (const range of chunk.ranges) ranges.push(range);
    for (const row of firstExcept(chunk.done, [], chunk.done.size)) addIndex(done, row);
  }
  const { parameters, derived, isBatched, items, jobs } = header;
  return {
    list: {
      parameters,
      columns: columns.map((column) => column.slice(0, items)),
      ...(derived ? { derived } : {}),
      ...(isBatched ? { isBatched } : {}),
    },
    past: {
      history: { jobs, ranges },
      done,
      kept: columns.map((column) => column.slice(items)),
    },
  };
}

/** How the items are called, for whoever goes on with a run and has no list of his own. */
export function itemNames({ list }: { readonly list?: WorkList | undefined }) {
  return (index: number): string | undefined => {
    if (!list || index >= (list.columns[0]?.length ?? 0)) return undefined;
    return itemName(
      list,
      list.columns.map((column) => column[index] ?? ""),
    );
  };
}

export function hasList({ metadata }: Job): boolean {
  return metadata.annotations?.[WORK_LIST] !== undefined;
}

async function readChunk(client: Client, job: Job, at: number): Promise<ListObject | undefined> {
  const { namespace = "" } = job.metadata;
  const object = listObjectName(job)?.(at);
  if (!object) return undefined;
  const place = { namespace, name: object.name };
  return object.kind === "ConfigMap"
    ? findObject(client, configMaps, place)
    : findObject(client, secrets, place);
}

function addRows(
  columns: readonly string[][],
  header: ListHeader,
  at: number,
  chunk: Chunk,
): boolean {
  const end = header.starts[at + 1] ?? header.rows;
  for (let index = header.starts[at] ?? 0; index < end; index++) {
    const values = chunk.valuesAt(index);
    if (!values) return false;
    for (const [parameter, value] of values.entries()) columns[parameter]?.push(value);
  }
  return true;
}
