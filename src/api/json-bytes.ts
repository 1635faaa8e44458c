/**
 * An object as JSON bytes, encoded once: the HTTP answer, every watch event and the journal want
 * the same ones. Only for objects that no longer change: the cache knows them by identity.
 */

export function encodeJson(object: object): Buffer {
  const cached = young.get(object);
  if (cached) return cached;
  const bytes = old.get(object) ?? bytesOf(object);
  remember(object, bytes);
  return bytes;
}

/**
 * Two generations instead of an eviction list: what was not asked for while the young one filled
 * up is forgotten when the next one does. Together they hold at most this much.
 */
export const JSON_CACHE_BYTES = 64 * 1024 * 1024;

// Plain maps: the bound is what frees an object, and weak ones cost the collector dearly.
let young = new Map<object, Buffer>();
let old = new Map<object, Buffer>();
let youngBytes = 0;

/** From here on it is worth the trouble. */
const LONG_TEXT = 16 * 1024;

function bytesOf(object: object): Buffer {
  return hasManySteps(object) ? bytesByPart(object) : bytesOfWhole(object);
}

/** From here on it is worth the trouble, too. */
const MANY_STEPS = 100;

function hasManySteps(object: object): object is { readonly [key: string]: unknown } {
  const { spec } = object as { spec?: { jobs?: unknown } };
  return Array.isArray(spec?.jobs) && spec.jobs.length > MANY_STEPS;
}

/** The steps of a Workflow stay the same through all its states, which share them. */
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
 * The completed indexes of a large Job are by far most of it, and nothing in them needs a quote:
 * they are copied, where JSON.stringify would look at every character.
 */
function bytesOfWhole(object: object): Buffer {
  const { status } = object as { status?: { completedIndexes?: unknown } };
  const text = status?.completedIndexes;
  const isLong = typeof text === "string" && text.length > LONG_TEXT;
  if (!isLong || !/^[0-9,-]*$/.test(text)) return Buffer.from(JSON.stringify(object));
  const json = JSON.stringify({ ...object, status: { ...status, completedIndexes: "" } });
  // The last one: whatever else is called so comes before the status.
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
