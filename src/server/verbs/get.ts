/** GET of one object. */
import { notFound } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { fromStored, groupResource, keyOf, type ServerContext } from "../context.ts";

export function get(
  server: ServerContext,
  kind: Kind,
  namespace: string,
  name: string,
): KubeObject {
  const stored = server.store.get(keyOf(kind, namespace, name));
  if (!stored) throw notFound(groupResource(kind), name);
  return fromStored(kind, stored);
}
