/**
 * Encodes an object as JSON bytes once, for the HTTP answer, all watch events and the journal. Only
 * for objects that no longer change, because the cache identifies them by reference.
 */

export function encodeJson(object: object): Buffer {
  const cached = young.get(object);
  if (cached) return cached;
  const bytes = old.get(object) ?? bytesOf(object);
  remember(object, bytes);
  return bytes;
}

/**
 * The total size of two generations, which replace an eviction list: an entry that was not used
 * while the young generation filled up is dropped when the next one has filled up.
 */
export const JSON_CACHE_BYTES = 64 * 1024 * 1024;

// Plain maps: the size limit frees the objects, and weak maps are expensive for the garbage
// collector.
let young = new Map<object, Buffer>();
let old = new Map<object, Buffer>();
let youngBytes = 0;

/** The length from which the special handling pays off. */
const LONG_TEXT = 16 * 1024;

function bytesOf(object: object): Buffer {
  return hasManySteps(object) ? bytesByPart(object) : bytesOfWhole(object);
}

/** The number of steps from which the special handling pays off. */
const MANY_STEPS = 100;

function hasManySteps(object: object): object is { readonly [key: string]: unknown } {
  const { spec } = object as { spec?: { jobs?: unknown } };
  return Array.isArray(spec?.jobs) && spec.jobs.length > MANY_STEPS;
}

/** All states of a Workflow share its spec, so its encoding is reused. */
function bytesByPart(object: { readonly [key: string]: unknown }): Buffer {
  const parts: Buffer[] = [];
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const start = `${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`;
    const isShared = key === "spec";
    parts.push(Buffer.from(isShared ? start : start + JSON.stringify(value)));
    if (isShared) parts.push(encodeJson(value as object));
  }
  return Buffer.concat([...parts, Buffer.from("}")]);
}

/**
 * The completed indexes are by far the largest part of a large Job and need no escaping. They are
 * copied, because JSON.stringify would examine every character.
 */
function bytesOfWhole(object: object): Buffer {
  const { status } = object as { status?: { completedIndexes?: unknown } };
  const text = status?.completedIndexes;
  const isLong = typeof text === "string" && text.length > LONG_TEXT;
  if (!isLong || !/^[0-9,-]*$/.test(text)) return Buffer.from(JSON.stringify(object));
  const json = JSON.stringify({ ...object, status: { ...status, completedIndexes: "" } });
  // The last occurrence: other fields with this name come before the status.
  const at = json.lastIndexOf(EMPTY_INDEXES) + EMPTY_INDEXES.length - 1;
  const [before, after] = [json.slice(0, at), json.slice(at)];
  const length = Buffer.byteLength(before);
  const bytes = Buffer.allocUnsafe(length + text.length + Buffer.byteLength(after));
  bytes.write(before, 0);
  bytes.write(text, length, "latin1");
  bytes.write(after, length + text.length);
  return bytes;
}

const EMPTY_INDEXES = '"completedIndexes":""';

function remember(object: object, bytes: Buffer): void {
  if (bytes.length > JSON_CACHE_BYTES / 2) return;
  if (youngBytes + bytes.length > JSON_CACHE_BYTES / 2) {
    old = young;
    young = new Map();
    youngBytes = 0;
  }
  young.set(object, bytes);
  youngBytes += bytes.length;
}
