/** Pure: keys of objects on disk, and parsing of stored keys and objects. */
import type { KubeObject } from "../api/object.ts";
import type { ObjectKey } from "./types.ts";

/** Less than lmdb allows for a key, more than any name that passes validation. */
export const MAX_KEY_BYTES = 1900;

export function formatKey({ resource, namespace, name }: ObjectKey): string {
  const key = `${resource}\0${namespace}\0${name}`;
  if (key.length > MAX_KEY_BYTES / 3 && Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new RangeError(`the name of ${resource} "${name.slice(0, 64)}…" is too long to store`);
  }
  return key;
}

export function parseKey(text: string): ObjectKey {
  const [resource, namespace, name] = text.split("\0");
  if (!resource || namespace === undefined || !name) {
    throw new Error(`not the key of an object: ${JSON.stringify(text)}`);
  }
  return { resource, namespace, name };
}

export function parseObject(key: string, bytes: Uint8Array): KubeObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    return JSON.parse(buffer.toString("utf8")) as KubeObject;
  } catch (cause) {
    throw new Error(`the stored object ${key.replaceAll("\0", " ")} is not readable`, { cause });
  }
}
