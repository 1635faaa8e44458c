/** Pure: normalizes objects of Tally's own kinds for their controllers. */
import type { KubeObject } from "../../api/object.ts";

/** On a cluster no server adds a default status: an object that was never reconciled has none. */
export function withStatus<T extends KubeObject & { readonly status: object }>(object: T): T {
  const { status } = object as { readonly status?: object };
  return status === undefined ? { ...object, status: {} } : object;
}
