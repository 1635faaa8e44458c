/**
 * Pure: a work list as objects of the API, and back. A ConfigMap (or Secret) has a key "list" with
 * what the list is, as JSON, and a key "items" with a line of JSON for each item: its values, or
 * the value where there is one parameter. A long list goes on in further objects, named after the
 * first, each with its own lines, so that any item can be read without the others. "starts" says
 * with which index each object begins. A list written by hand needs "parameters" only.
 *
 * In a Secret each value is a key, "NAME.INDEX": so pods can refer to values without showing them.
 */
import type { ConfigMap, Secret } from "../api/generated/core.ts";
import {
  isParameterName,
  itemCount,
  type ListShape,
  type Values,
  type WorkList,
} from "./work-list.ts";

export type ListObject = ConfigMap | Secret;

export interface ListPlace {
  /** Of the first object, which the Job names. */
  readonly name: string;
  readonly namespace: string;
  readonly kind: "ConfigMap" | "Secret";
  /** The Job that they go with. */
  readonly owner?: { readonly name: string; readonly uid: string };
}

/** What the first object says. */
export interface ListHeader extends ListShape {
  readonly items: number;
  /** The first index of each object. */
  readonly starts: readonly number[];
}

/** Well below what an object may have, which leaves room for what is around it. */
export const MAX_CHUNK_BYTES = 500_000;
/** What Linux takes for one variable, with its name and the byte that ends it. */
export const MAX_VARIABLE_BYTES = 128 * 1024;

const HEADER_KEY = "list";
const ITEMS_KEY = "items";

export function storeList(list: WorkList, place: ListPlace): readonly ListObject[] {
  const chunks = place.kind === "Secret" ? secretChunks(list) : textChunks(list);
  const header = formatHeader(
    list,
    chunks.map(({ start }) => start),
  );
  return chunks.map(({ data }, at) => {
    const text = at === 0 ? { [HEADER_KEY]: header } : {};
    const metadata = metadataOf(place, at);
    const shared = { apiVersion: "v1", metadata, immutable: true };
    if (place.kind === "ConfigMap")
      return { ...shared, kind: "ConfigMap", data: { ...text, ...data } };
    const encoded = at === 0 ? { [HEADER_KEY]: base64(header) } : {};
    return { ...shared, kind: "Secret", type: "Opaque", data: { ...encoded, ...data } };
  });
}

export function chunkName(name: string, at: number): string {
  return at === 0 ? name : `${name}-${at}`;
}

/** Which object has an index, counted from the first. */
export function chunkAt({ starts }: ListHeader, index: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

export type ParsedHeader = { readonly header: ListHeader } | { readonly problem: string };

export function parseHeader(object: ListObject): ParsedHeader {
  const text = textOf(object, HEADER_KEY);
  if (text === undefined) return { problem: `has no key ${JSON.stringify(HEADER_KEY)}` };
  const said = parseObject(text);
  if (!said) return { problem: `has no JSON object in ${JSON.stringify(HEADER_KEY)}` };
  const { parameters, derived, batched } = said;
  if (!isNames(parameters) || parameters.length === 0) {
    return { problem: 'must name its "parameters", as in ["FILE"]' };
  }
  const lines = () => linesOf(textOf(object, ITEMS_KEY) ?? "").length;
  const { items = lines(), starts = [0] } = said;
  const isCount = Number.isSafeInteger(items) && (items as number) >= 0;
  if (!isCount || !isAscending(starts, items as number)) {
    return { problem: 'has "items" or "starts" that are no indexes' };
  }
  return {
    header: {
      parameters,
      ...(isNames(derived) && derived.length > 0 ? { derived } : {}),
      ...(batched === true ? { isBatched: true as const } : {}),
      items: items as number,
      starts: starts as readonly number[],
    },
  };
}

/** One object of a list, opened. */
export interface Chunk {
  /** Undefined: the object does not have it, or not as it should. */
  valuesAt(index: number): Values | undefined;
}

export function openChunk(header: ListHeader, at: number, object: ListObject): Chunk {
  const start = header.starts[at] ?? 0;
  const { parameters } = header;
  if (object.kind === "Secret") {
    return { valuesAt: (index) => valuesOfKeys(object, parameters, index) };
  }
  const lines = linesOf(textOf(object, ITEMS_KEY) ?? "");
  return { valuesAt: (index) => parseLine(lines[index - start], parameters.length) };
}

/** The key of a Secret that has a value. */
export function secretKey(parameter: string, index: number): string {
  return `${parameter}.${index}`;
}

interface ChunkData {
  readonly start: number;
  readonly data: { readonly [key: string]: string };
}

function textChunks(list: WorkList): readonly ChunkData[] {
  const chunks: ChunkData[] = [];
  let lines: string[] = [];
  let bytes = 0;
  const close = (end: number): void => {
    chunks.push({ start: end - lines.length, data: { [ITEMS_KEY]: lines.join("\n") } });
    lines = [];
    bytes = 0;
  };
  const count = itemCount(list);
  for (let index = 0; index < count; index++) {
    const line = formatLine(list, index);
    const size = Buffer.byteLength(line) + 1;
    if (bytes + size > MAX_CHUNK_BYTES && lines.length > 0) close(index);
    lines.push(line);
    bytes += size;
  }
  close(count);
  return chunks;
}

function secretChunks(list: WorkList): readonly ChunkData[] {
  const chunks: ChunkData[] = [];
  let data: { [key: string]: string } = {};
  let start = 0;
  let bytes = 0;
  const count = itemCount(list);
  for (let index = 0; index < count; index++) {
    const entries = list.parameters.map((parameter, at) => {
      return [secretKey(parameter, index), base64(list.columns[at]?.[index] ?? "")] as const;
    });
    const size = entries.reduce((sum, [key, value]) => sum + key.length + value.length + 6, 0);
    if (bytes + size > MAX_CHUNK_BYTES && index > start) {
      chunks.push({ start, data });
      [data, start, bytes] = [{}, index, 0];
    }
    for (const [key, value] of entries) data[key] = value;
    bytes += size;
  }
  return [...chunks, { start, data }];
}

function formatLine({ columns }: WorkList, index: number): string {
  const [only] = columns;
  if (only && columns.length === 1) return JSON.stringify(only[index] ?? "");
  return JSON.stringify(columns.map((column) => column[index] ?? ""));
}

function parseLine(line: string | undefined, width: number): Values | undefined {
  if (line === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const values = Array.isArray(value) ? value : [value];
  const areTexts = values.every((each) => typeof each === "string");
  return areTexts && values.length === width ? values : undefined;
}

function valuesOfKeys(
  { data = {} }: Secret,
  parameters: readonly string[],
  index: number,
): Values | undefined {
  const values: string[] = [];
  for (const parameter of parameters) {
    const key = secretKey(parameter, index);
    if (!Object.hasOwn(data, key)) return undefined;
    values.push(fromBase64(data[key] ?? ""));
  }
  return values;
}

function formatHeader(list: WorkList, starts: readonly number[]): string {
  const { parameters, derived, isBatched } = list;
  return JSON.stringify({
    parameters,
    ...(derived ? { derived } : {}),
    ...(isBatched ? { batched: true } : {}),
    items: itemCount(list),
    starts,
  });
}

function metadataOf({ name, namespace, owner }: ListPlace, at: number) {
  const ownerReferences = owner && [
    { apiVersion: "batch/v1", kind: "Job", name: owner.name, uid: owner.uid, controller: true },
  ];
  return {
    name: chunkName(name, at),
    namespace,
    ...(ownerReferences ? { ownerReferences } : {}),
  };
}

function textOf({ kind, data = {} }: ListObject, key: string): string | undefined {
  if (!Object.hasOwn(data, key)) return undefined;
  return kind === "Secret" ? fromBase64(data[key] ?? "") : data[key];
}

/** The last line may be ended like the others. */
function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function parseObject(text: string): { readonly [field: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? (value as { readonly [field: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}

function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === "string" && isParameterName(each)) &&
    new Set(value).size === value.length
  );
}

function isAscending(value: unknown, below: number): boolean {
  if (!Array.isArray(value) || value[0] !== 0) return false;
  return value.every((start, at) => {
    if (at === 0) return true;
    return Number.isSafeInteger(start) && start > value[at - 1] && start < below;
  });
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
