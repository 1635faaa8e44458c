/**
 * Pure: JSON patch (RFC 6902) as Kubernetes' library applies it, which is more lenient than the
 * standard: replace adds an absent key, copy of an absent key copies null, list indexes may count
 * from the end, and text before the first slash of a path is ignored.
 */
import { isDeepStrictEqual } from "node:util";
import { draftOf, type Json } from "../../api/object.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import { isObject, type JsonObject } from "./go-value.ts";
import { unprocessable } from "./patch-errors.ts";

export interface Operation {
  readonly op?: string | null;
  readonly path?: string | null;
  readonly from?: string | null;
  readonly value?: Json;
}

/** How much all copies of one patch together may add. */
const COPY_LIMIT_BYTES = 3 * 1024 * 1024;

/**
 * The patched document; the given one is not modified. Throws a 422 if an operation does not apply.
 */
export function applyOperations(document: JsonObject, operations: readonly Operation[]): Json {
  const state: State = { document: draftOf(document), copiedBytes: 0 };
  for (const operation of operations) {
    const apply = OPERATIONS.get(operation.op ?? "");
    if (apply === undefined) throw unprocessable();
    apply(state, operation);
  }
  return state.document;
}

interface State {
  document: JsonObject | Json[];
  copiedBytes: number;
}

type Apply = (state: State, operation: Operation) => void;

const OPERATIONS: ReadonlyMap<string, Apply> = new Map([
  ["add", (state, operation) => add(find(state, operation.path), operandOf(operation))],
  ["remove", (state, operation) => remove(find(state, operation.path))],
  ["replace", replace],
  ["move", move],
  ["copy", copy],
  ["test", test],
]);

/** A copy, because a later operation may change the value in the document. */
function operandOf({ value }: Operation): Json {
  return draftOf<Json>(value ?? null) as Json;
}

function replace(state: State, operation: Operation): void {
  const value = operandOf(operation);
  if (operation.path === "") {
    if (!isContainer(value)) throw unprocessable();
    state.document = value;
    return;
  }
  const { container, key } = find(state, operation.path);
  if (Array.isArray(container)) container[indexIn(container, key)] = value;
  else setOwn(container, key, value);
}

function move(state: State, operation: Operation): void {
  const from = find(state, operation.from);
  const value = get(from);
  remove(from);
  add(find(state, operation.path), value ?? null);
}

function copy(state: State, operation: Operation): void {
  const value = draftOf<Json>(get(find(state, operation.from)) ?? null) as Json;
  const target = find(state, operation.path);
  state.copiedBytes += Buffer.byteLength(JSON.stringify(value));
  if (state.copiedBytes > COPY_LIMIT_BYTES) throw unprocessable();
  add(target, value);
}

/** An absent value equals null. */
function test(state: State, operation: Operation): void {
  const { path, value = null } = operation;
  const found = path === "" ? state.document : (get(find(state, path)) ?? null);
  if (!isDeepStrictEqual(found, value)) throw unprocessable();
}

type Container = JsonObject | Json[];

/** A position in the document, whether or not there is a value. */
interface Place {
  readonly container: Container;
  readonly key: string;
}

function find(state: State, path: string | null | undefined): Place {
  if (path === null || path === undefined) throw unprocessable();
  const [, ...keys] = path.split("/").map(unescapeKey);
  const key = keys.pop();
  if (key === undefined) throw unprocessable();
  let container: Container = state.document;
  for (const step of keys) {
    const next: Json | undefined = get({ container, key: step });
    if (!isContainer(next)) throw unprocessable();
    container = next;
  }
  return { container, key };
}

function unescapeKey(key: string): string {
  return key.replace(/~[01]/g, (code) => (code === "~1" ? "/" : "~"));
}

function isContainer(value: Json | undefined): value is Container {
  return Array.isArray(value) || isObject(value);
}

function get({ container, key }: Place): Json | undefined {
  if (Array.isArray(container)) return container[indexIn(container, key)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function add({ container, key }: Place, value: Json): void {
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(parseIndex(key, container.length + 1), 0, value);
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexIn(container, key), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw unprocessable();
}

function indexIn(list: readonly Json[], key: string): number {
  return parseIndex(key, list.length);
}

/** A negative index counts from the end. */
function parseIndex(key: string, length: number): number {
  const index = /^[-+]?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  if (!(index >= -length && index < length)) throw unprocessable();
  return index < 0 ? index + length : index;
}
