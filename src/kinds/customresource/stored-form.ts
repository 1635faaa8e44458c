/**
 * Pure: converts objects of a version to the stored form and back. Versions differ only in
 * apiVersion. Defaults that were added to the schema later are applied when an object is read.
 */
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { withDefaults } from "./defaults.ts";
import type { Schema } from "./schema.ts";

export interface Forms {
  /** The apiVersion that clients of this version see. */
  readonly shown: string;
  /** The apiVersion with which objects are stored. */
  readonly stored: string;
  readonly schema: Schema;
}

export interface StoredForm {
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (stored: KubeObject) => KubeObject;
}

export function storedForm({ shown, stored, schema }: Forms): StoredForm {
  // Returns the same reference each time, so that an object is encoded only once.
  const seen = new WeakMap<KubeObject, KubeObject>();
  return {
    toStored: (object) => {
      const draft = object as Draft<KubeObject>;
      draft.apiVersion = stored;
      draft.metadata = sorted(draft.metadata);
      return sorted(draft);
    },
    fromStored: (object) => {
      const known = seen.get(object);
      if (known) return known;
      const filled = withDefaults(object as unknown as Json, schema) as unknown as KubeObject;
      const view = filled.apiVersion === shown ? filled : { ...filled, apiVersion: shown };
      seen.set(object, view);
      return view;
    },
  };
}

/** Sorted by name, as Go prints objects without a struct. */
function sorted<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))) as T;
}
