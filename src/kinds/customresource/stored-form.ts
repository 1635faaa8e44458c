/**
 * Pure: how objects of a version look in the store, and how what is stored looks in a version.
 * Between versions only apiVersion differs; defaults of a schema that came later show on reading.
 */
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { withDefaults } from "./defaults.ts";
import type { Schema } from "./schema.ts";

export interface Forms {
  /** The apiVersion that clients of this version see. */
  readonly shown: string;
  /** The one objects are stored as. */
  readonly stored: string;
  readonly schema: Schema;
}

export interface StoredForm {
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (stored: KubeObject) => KubeObject;
}

export function storedForm({ shown, stored, schema }: Forms): StoredForm {
  // The same reference each time: whoever encodes an object does it once.
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

/** In order of their names, as Go prints what it has no struct for. */
function sorted<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))) as T;
}
