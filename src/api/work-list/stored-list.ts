/**
 * Pure: a work list as objects of the API, and back. A ConfigMap (or Secret) has a key "list" that
 * describes the list as JSON, and a key "items" with a line of JSON for each item: its values, or
 * the value if there is one parameter. A long list continues in further objects, named after the
 * first, each with its own lines, so that any item can be read without the others. "starts" has
 * the first index of each object. A list written by hand needs "parameters" only.
 *
 * In a Secret each value is a key, "NAME.INDEX", so that pods can refer to values without showing
 * them.
 *
 * The list of a resumed run also carries its past: the former Jobs in the key "list" ("jobs"), and
 * for the rows of each object which indexes they had in these ("history") and which of them were
 * done ("done"). Rows behind the listed ones are items that were removed from the list.
 */
import type { ConfigMap, Secret } from "../generated/core.ts";
import {
  addIndex,
  emptyIndexes,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
} from "../index-set.ts";
import {
  cutRanges,
  type FormerJob,
  formatRange,
  formatRanges,
  type HistoryRange,
  type ItemHistory,
  NO_HISTORY,
  parseRanges,
} from "./item-history.ts";
import {
  isParameterName,
  itemCount,
  type ListShape,
  type Values,
  type WorkList,
} from "./work-list.ts";

export type ListObject = ConfigMap | Secret;

export interface ListPlace {
  /** The name of the first object, to which the Job refers. */
  readonly name: string;
  readonly namespace: string;
  readonly kind: "ConfigMap" | "Secret";
}

/** What is known of the items from before a resume. */
export interface ListPast {
  readonly history: ItemHistory;
  /** Rows that were done. */
  readonly done: IndexSet;
  /** By parameter, the values of items that are no longer listed: rows behind the others. */
  readonly kept: readonly (readonly string[])[];
}

export const NO_PAST: ListPast = { history: NO_HISTORY, done: emptyIndexes(), kept: [] };

/** The description of the list in its first object. */
export interface ListHeader extends ListShape {
  readonly items: number;
  /** Including items that are no longer listed. */
  readonly rows: number;
  /** The first index of each object. */
  readonly starts: readonly number[];
  /** The former Jobs of its history; empty for a list without a past. */
  readonly jobs: readonly FormerJob[];
}

/** Well below the limit of an object, which leaves room for its metadata. */
export const MAX_CHUNK_BYTES = 500_000;
/** The limit of Linux for one variable, including its name and the final NUL byte. */
export const MAX_VARIABLE_BYTES = 128 * 1024;

const HEADER_KEY = "list";
const ITEMS_KEY = "items";
const HISTORY_KEY = "history";
const DONE_KEY = "done";

export function storeList(
  list: WorkList,
  place: ListPlace,
  past: ListPast = NO_PAST,
): readonly ListObject[] {
  const rows = withKept(list, past);
  const pastBytes = pastSizes(past);
  const chunks =
    place.kind === "Secret" ? secretChunks(rows, pastBytes) : textChunks(rows, pastBytes);
  const starts = chunks.map(({ start }) => start);
  const header = formatHeader(list, { starts, rows: itemCount(rows), past });
  return chunks.map(({ data, start }, at) => {
    const end = starts[at + 1] ?? itemCount(rows);
    const texts = {
      ...(at === 0 ? { [HEADER_KEY]: header } : {}),
      ...formatPast(past, { from: start, end }),
    };
    const metadata = { name: chunkName(place.name, at), namespace: place.namespace };
    const shared = { apiVersion: "v1", metadata, immutable: true };
    if (place.kind === "ConfigMap") {
      return { ...shared, kind: "ConfigMap", data: { ...texts, ...data } };
    }
    const encoded = Object.entries(texts).map(([key, text]) => [key, base64(text)]);
    const whole = { ...Object.fromEntries(encoded), ...data };
    return { ...shared, kind: "Secret", type: "Opaque", data: whole };
  });
}

function withKept(list: WorkList, { kept }: ListPast): WorkList {
  if ((kept[0]?.length ?? 0) === 0) return list;
  const columns = list.columns.map((column, at) => [...column, ...(kept[at] ?? [])]);
  return { ...list, columns };
}

/** The bytes that the history of each row takes; those of a range count for its first row. */
function pastSizes({ history, done }: ListPast): (row: number) => number {
  const sizes = new Map<number, number>();
  for (const range of history.ranges) sizes.set(range.from, formatRange(range).length + 1);
  return (row) => {
    const isEdge = hasIndex(done, row) && !hasIndex(done, row - 1);
    return (sizes.get(row) ?? 0) + (isEdge ? LONGEST_DONE : 0);
  };
}

/** "1000000-2000000," */
const LONGEST_DONE = 16;

function formatPast(
  { history, done }: ListPast,
  rows: { readonly from: number; readonly end: number },
): { readonly [key: string]: string } {
  if (history.jobs.length === 0) return {};
  const own = emptyIndexes();
  for (let row = rows.from; row < rows.end; row++) if (hasIndex(done, row)) addIndex(own, row);
  const [ranges, completed] = [formatRanges(cutRanges(history.ranges, rows)), formatIndexes(own)];
  return {
    ...(ranges === "" ? {} : { [HISTORY_KEY]: ranges }),
    ...(completed === "" ? {} : { [DONE_KEY]: completed }),
  };
}

export function chunkName(name: string, at: number): string {
  return at === 0 ? name : `${name}-${at}`;
}

/** The number of the object that has an index. */
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
  const { rows = items, jobs = [] } = said;
  if (!isCount(items) || !isCount(rows) || rows < items || !isAscending(starts, rows)) {
    return { problem: 'has "items", "rows" or "starts" that are no indexes' };
  }
  if (!isJobs(jobs)) return { problem: 'has "jobs" that are no pairs of a name and a uid' };
  return {
    header: {
      parameters,
      ...(isNames(derived) && derived.length > 0 ? { derived } : {}),
      ...(batched === true ? { isBatched: true as const } : {}),
      items,
      rows,
      starts: starts as readonly number[],
      jobs: jobs.map(([name, uid]) => ({ name, uid })),
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isJobs(value: unknown): value is readonly (readonly [name: string, uid: string])[] {
  const isText = (each: unknown) => typeof each === "string";
  const isPair = (each: unknown) => Array.isArray(each) && each.length === 2 && each.every(isText);
  return Array.isArray(value) && value.every(isPair);
}

/** One object of a list, opened. */
export interface Chunk {
  /** Undefined if the object does not have it, or not in the right form. */
  valuesAt(index: number): Values | undefined;
  /** The history of its own rows. */
  readonly ranges: readonly HistoryRange[];
  readonly done: IndexSet;
}

export function openChunk(header: ListHeader, at: number, object: ListObject): Chunk {
  const start = header.starts[at] ?? 0;
  const { parameters, rows } = header;
  const past = {
    ranges: parseRanges(textOf(object, HISTORY_KEY) ?? ""),
    done: parseIndexes(textOf(object, DONE_KEY) ?? "", rows),
  };
  if (object.kind === "Secret") {
    return { ...past, valuesAt: (index) => valuesOfKeys(object, parameters, index) };
  }
  const lines = linesOf(textOf(object, ITEMS_KEY) ?? "");
  return { ...past, valuesAt: (index) => parseLine(lines[index - start], parameters.length) };
}

/** The key of a value in a Secret. */
export function secretKey(parameter: string, index: number): string {
  return `${parameter}.${index}`;
}

interface ChunkData {
  readonly start: number;
  readonly data: { readonly [key: string]: string };
}

function textChunks(list: WorkList, pastBytes: (row: number) => number): readonly ChunkData[] {
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
    const size = Buffer.byteLength(line) + 1 + pastBytes(index);
    if (bytes + size > MAX_CHUNK_BYTES && lines.length > 0) close(index);
    lines.push(line);
    bytes += size;
  }
  close(count);
  return chunks;
}

function secretChunks(list: WorkList, pastBytes: (row: number) => number): readonly ChunkData[] {
  const chunks: ChunkData[] = [];
  let data: { [key: string]: string } = {};
  let start = 0;
  let bytes = 0;
  const count = itemCount(list);
  for (let index = 0; index < count; index++) {
    const entries = list.parameters.map((parameter, at) => {
      return [secretKey(parameter, index), base64(list.columns[at]?.[index] ?? "")] as const;
    });
    const own = entries.reduce((sum, [key, value]) => sum + key.length + value.length + 6, 0);
    // Data of a Secret is base64, which is longer.
    const size = own + 2 * pastBytes(index);
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

function formatHeader(
  list: WorkList,
  whole: { readonly starts: readonly number[]; readonly rows: number; readonly past: ListPast },
): string {
  const { parameters, derived, isBatched } = list;
  const { jobs } = whole.past.history;
  return JSON.stringify({
    parameters,
    ...(derived ? { derived } : {}),
    ...(isBatched ? { batched: true } : {}),
    items: itemCount(list),
    ...(whole.rows === itemCount(list) ? {} : { rows: whole.rows }),
    starts: whole.starts,
    ...(jobs.length === 0 ? {} : { jobs: jobs.map(({ name, uid }) => [name, uid]) }),
  });
}

function textOf({ kind, data = {} }: ListObject, key: string): string | undefined {
  if (!Object.hasOwn(data, key)) return undefined;
  return kind === "Secret" ? fromBase64(data[key] ?? "") : data[key];
}

/** The last line may end with a newline, too. */
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
