/**
 * Pure: objects by namespace and name and by index values, and the changes that an event or a new
 * list makes to them. Changes are computed first and applied one by one, so that a listener that
 * receives a change sees exactly the state after it.
 */
import type { ObjectEvent } from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";

/** By index name: computes the values under which an object is found. */
export interface Indexes<T> {
  readonly [name: string]: ValuesOf<T>;
}

export interface CacheChange<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new state; for DELETED the last known state. */
  readonly object: T;
  /** The state before; absent for ADDED. */
  readonly previous?: T;
}

export type ValuesOf<T> = (object: T) => readonly string[];

interface Index<T> {
  /** By value, then by "namespace/name". */
  readonly values: Map<string, Map<string, T>>;
  users: number;
}

export class CachedObjects<T extends KubeObject> {
  readonly #spaces = new Map<string, Map<string, T>>();
  /** By the function that computes the values: users of the same function share one index. */
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

  /** The changes that the event makes here, regardless of the type that the server sent. */
  changesOf({ type, object }: ObjectEvent<T>): CacheChange<T>[] {
    const previous = this.#same(object);
    if (type !== "DELETED") return changesBetween(previous, object);
    return previous ? [{ type: "DELETED", object, previous }] : [];
  }

  /** The differences to a complete list. Deletions come first. */
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

/** If the uid differs, the old object was deleted and a new one with the same name was created. */
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
