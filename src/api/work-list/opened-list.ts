/**
 * Pure: the stored list of a Job, opened. Its objects are found one by one, when a row of theirs is
 * needed, so that a long list is never in memory as a whole.
 */
import type { Job } from "../generated/batch.ts";
import { addIndex, emptyIndexes, firstExcept } from "../index-set.ts";
import { type FormerIndex, formerIndexes, type HistoryRange } from "./item-history.ts";
import { WORK_LIST } from "./names.ts";
import {
  type Chunk,
  chunkAt,
  chunkName,
  type ListHeader,
  type ListObject,
  type ListPast,
  openChunk,
  parseHeader,
} from "./stored-list.ts";
import type { Values, WorkList } from "./work-list.ts";

export interface ListObjectName {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
}

export type FindListObject = (name: ListObjectName) => ListObject | undefined;

const SECRET_PREFIX = "secret/";

/** The value of the annotation, or undefined for a Job without a list. */
export function listNameOf({ metadata }: Pick<Job, "metadata">): ListObjectName | undefined {
  const named = metadata.annotations?.[WORK_LIST];
  return named === undefined ? undefined : parseListName(named);
}

export function parseListName(text: string): ListObjectName {
  const isSecret = text.startsWith(SECRET_PREFIX);
  const name = isSecret ? text.slice(SECRET_PREFIX.length) : text;
  return { kind: isSecret ? "Secret" : "ConfigMap", name };
}

export function formatListName({ kind, name }: ListObjectName): string {
  return kind === "Secret" ? `${SECRET_PREFIX}${name}` : name;
}

/** The name of an object of the list, counted from 0. */
export function listObjectAt({ kind, name }: ListObjectName, at: number): ListObjectName {
  return { kind, name: chunkName(name, at) };
}

/** A list with what is known of its items from before a resume. */
export interface StoredList {
  readonly list: WorkList;
  readonly past: ListPast;
}

export class OpenedList {
  /** Rows are mostly read in order: one open object is enough. */
  #open: { readonly at: number; readonly chunk: Chunk | undefined } | undefined;

  constructor(
    readonly header: ListHeader,
    private readonly find: (at: number) => ListObject | undefined,
  ) {}

  /** Undefined if the row is missing, or not as it should be. */
  valuesAt(row: number): Values | undefined {
    return this.#chunkOf(row)?.valuesAt(row);
  }

  /** The indexes that the item had in former Jobs, oldest first; empty for a new item. */
  formerAt(row: number): readonly FormerIndex[] {
    return formerIndexes({ jobs: this.header.jobs, ranges: this.#chunkOf(row)?.ranges ?? [] }, row);
  }

  /** All of it; undefined if a row is missing. */
  readAll(): StoredList | undefined {
    const { parameters, derived, isBatched, items, rows, starts, jobs } = this.header;
    const columns = parameters.map((): string[] => []);
    const ranges: HistoryRange[] = [];
    const done = emptyIndexes();
    for (const [at, start] of starts.entries()) {
      const chunk = this.#chunkAt(at);
      for (let row = start; row < (starts[at + 1] ?? rows); row++) {
        const values = chunk?.valuesAt(row);
        if (!values) return undefined;
        for (const [column, value] of values.entries()) columns[column]?.push(value);
      }
      for (const range of chunk?.ranges ?? []) ranges.push(range);
      if (chunk)
        for (const row of firstExcept(chunk.done, [], chunk.done.size)) addIndex(done, row);
    }
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

  #chunkOf(row: number): Chunk | undefined {
    return this.#chunkAt(chunkAt(this.header, row));
  }

  #chunkAt(at: number): Chunk | undefined {
    if (this.#open?.at !== at) {
      const object = this.find(at);
      this.#open = { at, chunk: object && openChunk(this.header, at, object) };
    }
    return this.#open.chunk;
  }
}

/** Undefined for a list that is not there, or not readable. */
export function openList(name: ListObjectName, find: FindListObject): OpenedList | undefined {
  const first = find(name);
  const parsed = first && parseHeader(first);
  if (!first || !parsed || "problem" in parsed) return undefined;
  return new OpenedList(parsed.header, (at) => (at === 0 ? first : find(listObjectAt(name, at))));
}

export type FormerIndexesAt = (index: number) => readonly FormerIndex[];

/** Which indexes of former Jobs the items of a Job had; undefined if they never moved. */
export function openPast(job: Job, find: FindListObject): FormerIndexesAt | undefined {
  const name = listNameOf(job);
  const list = name && openList(name, find);
  if (!list || list.header.jobs.length === 0) return undefined;
  return (index) => list.formerAt(index);
}
