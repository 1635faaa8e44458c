/** The stored work list of a run, read through a Client. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { configMaps, secrets } from "../../api/resources.ts";
import { type Items, itemsNamed, itemsOfList, NO_ITEMS } from "../../api/work-list/items.ts";
import {
  type FindListObject,
  type FormerIndexesAt,
  type ListObjectName,
  listNameOf,
  listObjectAt,
  openList,
  openPast,
  type StoredList,
} from "../../api/work-list/opened-list.ts";
import { type ListObject, parseHeader } from "../../api/work-list/stored-list.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { findObject } from "../../client/find.ts";

/** Undefined for a run without a list, or if its list is missing. */
export async function readStoredList(client: Client, job: Job): Promise<StoredList | undefined> {
  const name = listNameOf(job);
  return name && openList(name, await readListObjects(client, job, name))?.readAll();
}

/** The names of the items of a list, by index. */
export function itemNames(list: WorkList | undefined): Items["nameAt"] {
  return (list ? itemsOfList(list) : NO_ITEMS).nameAt;
}

/** Which indexes of former Jobs the items had; undefined if they never moved. */
export async function readFormerIndexes(
  client: Client,
  job: Job,
): Promise<FormerIndexesAt | undefined> {
  const name = listNameOf(job);
  return name && openPast(job, await readListObjects(client, job, name));
}

export async function readItems(client: Client, job: Job): Promise<Items> {
  const name = listNameOf(job);
  return name ? readNamedItems(client, job, name) : NO_ITEMS;
}

/** Values of a Secret are not shown, and so not read. */
export async function readNamedItems(
  client: Client,
  job: Job,
  name: ListObjectName,
): Promise<Items> {
  if (name.kind === "Secret") return NO_ITEMS;
  return itemsNamed(name, await readListObjects(client, job, name));
}

/** The names of the objects that hold the list of a run. */
export async function findListObjects(
  client: Client,
  job: Job,
): Promise<readonly ListObjectName[]> {
  const name = listNameOf(job);
  const first = name && (await readListObject(client, job, name));
  return name && first
    ? Array.from({ length: countOf(first) }, (_, at) => listObjectAt(name, at))
    : [];
}

async function readListObjects(
  client: Client,
  job: Job,
  name: ListObjectName,
): Promise<FindListObject> {
  const found = new Map<string, ListObject>();
  let count = 1;
  for (let at = 0; at < count; at++) {
    const each = listObjectAt(name, at);
    const object = await readListObject(client, job, each);
    if (!object) break;
    found.set(each.name, object);
    if (at === 0) count = countOf(object);
  }
  return (each) => found.get(each.name);
}

function countOf(first: ListObject): number {
  const parsed = parseHeader(first);
  return "problem" in parsed ? 0 : parsed.header.starts.length;
}

function readListObject(
  client: Client,
  { metadata: { namespace = "" } }: Job,
  { kind, name }: ListObjectName,
): Promise<ListObject | undefined> {
  const place = { namespace, name };
  return kind === "Secret"
    ? findObject(client, secrets, place)
    : findObject(client, configMaps, place);
}
