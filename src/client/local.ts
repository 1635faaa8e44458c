/**
 * The Client of components inside the process: calls the verbs directly, passes objects by
 * reference, sees writes before they are on disk. What leaves the process waits for the disk
 * elsewhere (server/http/listen).
 */
import type {
  Client,
  Closable,
  DeleteRequest,
  ListOf,
  ListRequest,
  Name,
  PatchRequest,
  ResourceType,
  WatchHandlers,
  WatchRequest,
} from "../api/client.ts";
import { unknownResource } from "../api/errors.ts";
import type { Draft, Json, KubeObject } from "../api/object.ts";
import { decodeObject } from "../api/schema/decode.ts";
import { parsed } from "../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { Registry } from "../kinds/registry.ts";
import type { ServerContext } from "../server/context.ts";
import { create } from "../server/verbs/create.ts";
import { deleteObject } from "../server/verbs/delete.ts";
import { get } from "../server/verbs/get.ts";
import { list } from "../server/verbs/list.ts";
import { patch } from "../server/verbs/patch.ts";
import { type UpdateTarget, update } from "../server/verbs/update.ts";
import { follow } from "../server/verbs/watch.ts";

export function localClient(server: ServerContext & { readonly registry: Registry }): Client {
  const kindOf = (type: ResourceType): Kind => {
    const kind = server.registry.findResource(type);
    if (!kind) throw unknownResource();
    return kind;
  };
  const targetOf = (kind: Kind, name: Name, part: UpdateTarget["part"]): UpdateTarget => ({
    kind,
    namespace: name.namespace ?? "",
    name: name.name,
    part,
  });
  const write = <T extends KubeObject>(
    type: ResourceType<T>,
    object: T,
    part: UpdateTarget["part"],
  ): T => {
    const kind = kindOf(type);
    const { name = "", namespace = "" } = object.metadata;
    const target = targetOf(kind, { namespace, name }, part);
    return update(server, target, decoded(kind, object), { dryRun: false }).object as T;
  };
  return {
    get: async <T extends KubeObject>(type: ResourceType<T>, name: Name) =>
      get(server, kindOf(type), name.namespace ?? "", name.name) as T,
    list: async <T extends KubeObject>(type: ResourceType<T>, request: ListRequest = {}) =>
      listed<T>(server, kindOf(type), request),
    watch: <T extends KubeObject>(
      type: ResourceType<T>,
      request: WatchRequest,
      handlers: WatchHandlers<T>,
    ): Closable =>
      follow(server, kindOf(type), request.namespace, request, (event) =>
        handlers.onEvent({ type: event.type, object: event.object as T }),
      ),
    create: async <T extends KubeObject>(type: ResourceType<T>, object: T) => {
      const kind = kindOf(type);
      const namespace = object.metadata.namespace ?? "";
      return create(server, kind, namespace, decoded(kind, object), { dryRun: false }).object as T;
    },
    update: async (type, object) => write(type, object, "object"),
    updateStatus: async (type, object) => write(type, object, "status"),
    patch: async <T extends KubeObject>(
      type: ResourceType<T>,
      name: Name,
      request: PatchRequest,
    ) => {
      const part = request.subresource === "status" ? "status" : "object";
      const change = { type: request.type, body: JSON.stringify(request.body) };
      const target = targetOf(kindOf(type), name, part);
      return patch(server, target, change, { dryRun: false }, () => {}).object as T;
    },
    delete: async (type: ResourceType, name: Name, request: DeleteRequest = {}) => {
      deleteObject(server, kindOf(type), name.namespace ?? "", name.name, request);
    },
  };
}

function listed<T extends KubeObject>(
  server: ServerContext,
  kind: Kind,
  { namespace, ...request }: ListRequest,
): ListOf<T> {
  const { items, metadata } = list(server, kind, namespace, request);
  return { items: items as readonly T[], ...metadata };
}

/** A component hands over a shared or partial object; the server wants a draft of its own. */
function decoded(kind: Kind, object: KubeObject): Draft<KubeObject> {
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const draft = decodeObject(parsed(object as unknown as Json), kind.message, typeMeta).object;
  kind.rules.setDefaults?.(draft);
  return draft;
}
