/**
 * One request in, one answer out, with no socket in sight: tests call this function.
 *
 * Reading order: request, route, handle, resource and subresource (requests on objects),
 * meta-routes (all others), represent (bytes), then listen and watch-stream (sockets).
 */
import { badRequest, methodNotAllowed, unknownResource } from "../../api/errors.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Answer, plainText } from "./answer.ts";
import { errorAnswer } from "./error-answer.ts";
import { serveMeta } from "./meta-routes.ts";
import type { ApiServer, Request, ResourceRequest } from "./request.ts";
import { serveCollection, serveNamed } from "./resource.ts";
import { parseRoute, type ResourceRoute } from "./route.ts";
import { serveBindings, serveSubresource } from "./subresource.ts";

export function handle(server: ApiServer, request: Request): Answer {
  try {
    return dispatch(server, request);
  } catch (error) {
    return errorAnswer(server, request, error);
  }
}

function dispatch(server: ApiServer, request: Request): Answer {
  const route = parseRoute(request.path);
  if (!route) return errorAnswer(server, request, badRequest("invalid URL escape in the path"));
  if (route.kind === "other") return serveMeta(server, request);
  const { resource } = route;
  if (!server.registry.hasGroup(resource.group)) return plainText(404, "404 page not found\n");
  if (isBindings(resource)) return serveBindings(server, request, resource.namespace ?? "");
  const kind = server.registry.findResource(resource);
  if (!kind || (resource.namespace !== undefined && !kind.namespaced)) throw unknownResource();
  return serve(server, toResourceRequest(request, kind, resource), resource);
}

function isBindings({ group, resource, name }: ResourceRoute): boolean {
  return group === "" && resource === "bindings" && name === undefined;
}

function toResourceRequest(request: Request, kind: Kind, route: ResourceRoute): ResourceRequest {
  const namespace = kind.namespaced ? route.namespace : "";
  return { ...request, kind, namespace, watchPath: route.watch };
}

function serve(server: ApiServer, request: ResourceRequest, route: ResourceRoute): Answer {
  const { name, subresource } = route;
  if (name === undefined) return serveCollection(server, request);
  if (request.namespace === undefined) throw unknownResource();
  const named = { ...request, namespace: request.namespace, name };
  if (subresource === undefined) return serveNamed(server, named);
  const found = request.kind.subresources?.find((one) => one.name === subresource);
  if (!found) throw unknownResource();
  const verb = SUBRESOURCE_VERBS[request.method];
  if (!verb || !found.verbs.includes(verb)) throw methodNotAllowed();
  return serveSubresource(server, named, found);
}

const SUBRESOURCE_VERBS: {
  readonly [method: string]: "create" | "delete" | "get" | "patch" | "update" | undefined;
} = { GET: "get", POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };
