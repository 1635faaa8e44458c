/** DELETE of a collection: deletes every object that a list with the same options returns. */
import type { ApiError } from "../../api/errors.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { ServerContext } from "../context.ts";
import { deleteObject } from "./delete.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { type Listed, type ListOptions, list } from "./list.ts";

export function deleteCollection(
  server: ServerContext,
  kind: Kind,
  namespace: string | undefined,
  listOptions: ListOptions,
  options: DeleteOptions,
): Listed {
  const listed = list(server, kind, namespace, listOptions);
  for (const { metadata } of listed.items) {
    try {
      deleteObject(server, kind, metadata.namespace ?? "", metadata.name ?? "", options);
    } catch (error) {
      // If the object is already deleted, the purpose is achieved.
      if ((error as ApiError).reason !== "NotFound") throw error;
    }
  }
  return listed;
}
