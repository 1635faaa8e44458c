/** PUT of a namespace's finalize: the only way its spec.finalizers change. */

import { isEqual } from "../../api/equal.ts";
import { conflict, invalidObject, MODIFIED, notFound } from "../../api/errors.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { validateFinalizeUpdate } from "../../kinds/namespace/kind.ts";
import { groupResource, keyOf, type ServerContext, type WriteOptions } from "../context.ts";
import { matchName } from "./update.ts";

export function finalizeNamespace(
  server: ServerContext,
  kind: Kind,
  name: string,
  given: Draft<KubeObject>,
  options: WriteOptions,
): KubeObject {
  const key = keyOf(kind, "", name);
  const old = server.store.get(key) as Namespace | undefined;
  if (!old) throw notFound(groupResource(kind), name);
  matchName(given, name);
  const revision = old.metadata.resourceVersion ?? "";
  const asked = given.metadata.resourceVersion ?? "";
  if (asked !== "" && asked !== revision) throw conflict(groupResource(kind), name, MODIFIED);
  const next = draftOf(old);
  const finalizers = (given as unknown as Draft<Namespace>).spec.finalizers;
  if (finalizers === undefined || finalizers.length === 0) delete next.spec.finalizers;
  else next.spec.finalizers = finalizers;
  const findings = validateFinalizeUpdate(next, old);
  if (findings.length > 0) throw invalidObject(kind, name, findings);
  if (isEqual(next, old)) return old;
  const released =
    old.metadata.deletionTimestamp !== undefined &&
    next.spec.finalizers === undefined &&
    (old.metadata.finalizers?.length ?? 0) === 0;
  if (released) {
    if (!options.dryRun) server.store.remove(key, revision);
    return next;
  }
  return options.dryRun ? next : server.store.update(key, next, revision);
}
