/**
 * Pure: objects by namespace and name and by the values of indexes, and what an event or a new list
 * changes of them. Changes are worked out first and applied one by one, so that whoever hears of
 * one finds exactly the state it led to.
 */
import type { ObjectEvent } from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";

/** By name, the values an object is found under. */
export interface Indexes<T> {
  readonly [name: string]: ValuesOf<T>;
}

export interface CacheChange<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new state; for DELETED the last one known. */
  readonly object: T;
  /** What was there before; absent for ADDED. */
  readonly previous?: T;
}

export type ValuesOf<T> = (object: T) => readonly string[];

interface Index<T> {
  /** By value, then by namespace and name in one text. */
  readonly values: Map<string, Map<string, T>>;
  users: number;
}

export class CachedObjects<T extends KubeObject> {
  readonly #spaces = new Map<string, Map<string, T>>();
  /** By the function that says the values: who uses the same one shares what it finds. */
  readonly #indexes = new Map<ValuesOf<T>, Index<T>>();

  addIndex(valuesOf: ValuesOf<T>): void {
    const known = this.#indexes.get(valuesOf);
    if (known) {
      known.users++;
      return;
    }
    const index: Index<T> = { values: new Map(), users: 1 };
    this.#indexes.set(valuesOf, index);
    for (const object of this.list()) enter(index, valuesOf, object);
  }

  dropIndex(valuesOf: ValuesOf<T>): void {
    const index = this.#indexes.get(valuesOf);
    if (index && --index.users === 0) this.#indexes.delete(valuesOf);
  }

  get(namespace: string, name: string): T | undefined {
    return this.#spaces.get(namespace)?.get(name);
  }

  list(namespace?: string): T[] {
    if (namespace !== undefined) return [...(this.#spaces.get(namespace)?.values() ?? [])];
    return [...this.#spaces.values()].flatMap((space) => [...space.values()]);
  }

  find(valuesOf: ValuesOf<T>, value: string): T[] {
    return [...(this.#indexes.get(valuesOf)?.values.get(value)?.values() ?? [])];
  }

  /** What the event changes here, whatever the server calls it. */
  changesOf({ type, object }: ObjectEvent<T>): CacheChange<T>[] {
    const previous = this.#same(object);
    if (type !== "DELETED") return changesBetween(previous, object);
    return previous ? [{ type: "DELETED", object, previous }] : [];
  }

  /** What is different in a list of all objects. Those that are gone come first. */
  changesTo(items: readonly T[]): CacheChange<T>[] {
    const kept = new Set<T>();
    const changes: CacheChange<T>[] = [];
    for (const object of items) {
      const previous = this.#same(object);
      if (previous) kept.add(previous);
      changes.push(...changesBetween(previous, object));
    }
    const gone = this.list().filter((object) => !kept.has(object));
    const deletions = gone.map(
      (object): CacheChange<T> => ({ type: "DELETED", object, previous: object }),
    );
    return [...deletions, ...changes];
  }

  apply({ type, object, previous }: CacheChange<T>): void {
    const { namespace = "", name = "" } = object.metadata;
    const space = this.#spaces.get(namespace);
    if (previous) this.#unindex(previous);
    if (type !== "DELETED") {
      if (space) space.set(name, object);
      else this.#spaces.set(namespace, new Map([[name, object]]));
      this.#index(object);
    } else if (space?.delete(name) && space.size === 0) {
      this.#spaces.delete(namespace);
    }
  }

  #same({ metadata }: T): T | undefined {
    return this.get(metadata.namespace ?? "", metadata.name ?? "");
  }

  #index(object: T): void {
    for (const [valuesOf, index] of this.#indexes) enter(index, valuesOf, object);
  }

  #unindex(object: T): void {
    const key = keyOf(object);
    for (const [valuesOf, { values }] of this.#indexes) {
      for (const value of valuesOf(object)) {
        const found = values.get(value);
        if (found?.delete(key) && found.size === 0) values.delete(value);
      }
    }
  }
}

function enter<T extends KubeObject>({ values }: Index<T>, valuesOf: ValuesOf<T>, object: T): void {
  const key = keyOf(object);
  for (const value of valuesOf(object)) {
    const found = values.get(value);
    if (found) found.set(key, object);
    else values.set(value, new Map([[key, object]]));
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** One of the same name that is not the same object came after the other one went. */
function changesBetween<T extends KubeObject>(
  previous: T | undefined,
  object: T,
): CacheChange<T>[] {
  if (!previous) return [{ type: "ADDED", object }];
  if (previous.metadata.uid !== object.metadata.uid) {
    return [
      { type: "DELETED", object: previous, previous },
      { type: "ADDED", object },
    ];
  }
  if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return [];
  return [{ type: "MODIFIED", object, previous }];
}
