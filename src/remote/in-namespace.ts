/** A client for which one namespace is all there is: whoever asks for everything gets that. */
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
