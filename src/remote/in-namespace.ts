/**
 * A client restricted to one namespace: a list or watch of all namespaces returns only that one.
 */
import type { Client, ResourceType } from "../api/client.ts";

export function inNamespace(client: Client, namespace: string): Client {
  const place = ({ namespaced }: ResourceType) => (namespaced ? { namespace } : {});
  return {
    ...client,
    list: (type, request) => client.list(type, { ...place(type), ...request }),
    watch: (type, request, handlers) =>
      client.watch(type, { ...place(type), ...request }, handlers),
  };
}
