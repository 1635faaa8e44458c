/** Pure: objects of Tally's kinds as their controllers know them. */
import type { KubeObject } from "../../api/object.ts";

/** On a cluster nothing fills in a status: an object that nobody has looked at has none. */
export function withStatus<T extends KubeObject & { readonly status: object }>(object: T): T {
  const { status } = object as { readonly status?: object };
  return status === undefined ? { ...object, status: {} } : object;
}
