/**
 * An object as JSON bytes, encoded once: the HTTP answer, every watch event and the journal want
 * the same ones. Only for objects that no longer change: the cache knows them by identity.
 */

export function encodeJson(object: object): Buffer {
  const cached = young.get(object);
  if (cached) return cached;
  const bytes = old.get(object) ?? Buffer.from(JSON.stringify(object));
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
