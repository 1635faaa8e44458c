/** The work list of a run as it is stored, read through a Client. */
import type { Client } from "../api/client.ts";
import type { Job } from "../api/generated/batch.ts";
import { configMaps, secrets } from "../api/resources.ts";
import { findObject } from "../client/find.ts";
import { WORK_LIST } from "../worklist/names.ts";
import {
  chunkName,
  type ListHeader,
  type ListObject,
  openChunk,
  parseHeader,
} from "../worklist/stored-list.ts";
import { itemName, type WorkList } from "../worklist/work-list.ts";

/** Undefined for a run that has none, or whose list is not there. */
export async function readStoredList(client: Client, job: Job): Promise<WorkList | undefined> {
  const first = await readChunk(client, job, 0);
  const parsed = first && parseHeader(first);
  if (!first || !parsed || "problem" in parsed) return undefined;
  const { header } = parsed;
  const columns = header.parameters.map((): string[] => []);
  for (let at = 0; at < header.starts.length; at++) {
    const object = at === 0 ? first : await readChunk(client, job, at);
    if (!object || !addChunk(columns, header, at, object)) return undefined;
  }
  const { parameters, derived, isBatched } = header;
  return {
    parameters,
    columns,
    ...(derived ? { derived } : {}),
    ...(isBatched ? { isBatched } : {}),
  };
}

/** How the items are called, for whoever goes on with a run and has no list of his own. */
export function itemNames({ list }: { readonly list: WorkList | undefined }) {
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
  const { namespace = "", annotations = {} } = job.metadata;
  const named = annotations[WORK_LIST];
  if (named === undefined) return undefined;
  const [, secret] = /^secret\/(.*)$/.exec(named) ?? [];
  const name = chunkName(secret ?? named, at);
  return secret === undefined
    ? findObject(client, configMaps, { namespace, name })
    : findObject(client, secrets, { namespace, name });
}

function addChunk(
  columns: readonly string[][],
  header: ListHeader,
  at: number,
  object: ListObject,
): boolean {
  const chunk = openChunk(header, at, object);
  const end = header.starts[at + 1] ?? header.items;
  for (let index = header.starts[at] ?? 0; index < end; index++) {
    const values = chunk.valuesAt(index);
    if (!values) return false;
    for (const [parameter, value] of values.entries()) columns[parameter]?.push(value);
  }
  return true;
}
