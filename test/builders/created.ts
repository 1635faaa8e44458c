/** Objects in the state in which the server passes them to the rules of their kind. */

import { type Draft, draftOf, type Json, type KubeObject } from "../../src/api/object.ts";
import { canonicalize } from "../../src/api/schema/decode.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { mergePatch } from "../../src/server/patch/merge-patch.ts";

export const UID = "00000000-0000-4000-8000-000000000000";

type Body = { [key: string]: Json };

/** The object that a POST of this body passes on to validation and storage. */
export function created<T extends KubeObject>(kind: Kind, body: Body): Draft<T> {
  const metadata = { name: "j", ...(body["metadata"] as Body | undefined) };
  const object = canonicalize({ ...body, metadata }, kind.message);
  kind.rules.setDefaults?.(object);
  Object.assign(object.metadata, { namespace: "ns", uid: UID, resourceVersion: "1" });
  kind.rules.prepareForCreate?.(object);
  return object as Draft<T>;
}

/** The object that a merge patch produces. */
export function patched<T extends KubeObject>(kind: Kind, old: T, patch: Body): Draft<T> {
  const tree = mergePatch(draftOf(old) as unknown as Body, patch);
  const object = canonicalize(tree, kind.message);
  kind.rules.setDefaults?.(object);
  return object as Draft<T>;
}
