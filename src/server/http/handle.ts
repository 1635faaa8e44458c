/**
 * Answers one request, without a socket: tests call this function.
 *
 * Reading order: request, route, handle, resource and subresource (requests on objects), ledger
 * (requests on the indexes of Jobs), meta-routes (all others), represent (encoding), then listen
 * and watch-stream (sockets).
 */
import { ApiError, badRequest, methodNotAllowed, unknownResource } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import { type Kind, verbsOf } from "../../kinds/kind.ts";
import { LEDGER_GROUP } from "../ledger/job-index.ts";
import { type Answer, plainText } from "./answer.ts";
import { authorizeRequest } from "./authorize.ts";
import { errorAnswer } from "./error-answer.ts";
import { SUBMISSION, serveSubmission } from "./job-submission.ts";
import { serveLedger } from "./ledger.ts";
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
  if (!route) return plainText(400, "400 Bad Request");
  authorizeRequest(server, request.user, request, route);
  if (route.kind === "other") return serveMeta(server, request);
  const { resource } = route;
  if (isLedger(resource)) {
    const serveJobs = resource.subresource === SUBMISSION ? serveSubmission : serveLedger;
    return serveJobs(server, request, resource);
  }
  if (resource.group === ADMISSION_GROUP) throw noAdmission();
  if (!server.registry.hasGroup(resource.group)) return plainText(404, "404 page not found\n");
  if (isBindings(resource)) return serveBindings(server, request, resource.namespace);
  const kind = server.registry.findResource(resource);
  if (!kind || (resource.namespace !== undefined && !kind.namespaced)) throw unknownResource();
  const answer = serveKind(server, toResourceRequest(request, kind, resource), resource);
  if (kind.deprecation === undefined) return answer;
  return { ...answer, warnings: [kind.deprecation, ...(answer.warnings ?? [])] };
}

const ADMISSION_GROUP = "admissionregistration.k8s.io";

/** A user who relies on a webhook must learn that it would never be called. */
function noAdmission(): ApiError {
  const missing = "this server calls no admission webhooks and evaluates no admission policies";
  const problem = `the server could not find the requested resource: ${missing}`;
  return new ApiError(404, "NotFound", problem, {});
}

/** Errors become answers here too, so that the deprecation warning of the kind is added to them. */
function serveKind(server: ApiServer, request: ResourceRequest, route: ResourceRoute): Answer {
  try {
    return serve(server, request, route);
  } catch (error) {
    return errorAnswer(server, request, error);
  }
}

/** The group also has kinds of its own. */
function isLedger({ group, resource }: ResourceRoute): boolean {
  return group === LEDGER_GROUP && resource === "jobs";
}

function isBindings(route: ResourceRoute): route is ResourceRoute & { readonly namespace: string } {
  const { group, resource, namespace, name } = route;
  const isCollection = namespace !== undefined && name === undefined;
  return group === "" && resource === "bindings" && isCollection;
}

function toResourceRequest(request: Request, kind: Kind, route: ResourceRoute): ResourceRequest {
  const namespace = kind.namespaced ? route.namespace : "";
  return { ...request, kind, namespace, watchPath: route.watch };
}

function serve(server: ApiServer, request: ResourceRequest, route: ResourceRoute): Answer {
  const { name, subresource } = route;
  if (!isServed(request, route)) throw unknownResource();
  if (request.watchPath && request.method !== "GET") throw methodNotAllowed();
  if (name === undefined) return serveCollection(server, request);
  if (request.namespace === undefined) throw unknownResource();
  refuseName(name);
  const named = { ...request, namespace: request.namespace, name };
  if (subresource === undefined) return serveNamed(server, named);
  const found = request.kind.subresources?.find((one) => one.name === subresource);
  if (!found) throw unknownResource();
  const verb = SUBRESOURCE_VERBS[request.method];
  if (!verb || !found.verbs.includes(verb)) throw methodNotAllowed();
  return serveSubresource(server, named, found);
}

/** A path that no verb of the kind uses does not exist. */
function isServed({ kind, namespace, watchPath }: ResourceRequest, route: ResourceRoute): boolean {
  const verbs = verbsOf(kind);
  if (watchPath) return verbs.includes("watch") && route.subresource === undefined;
  if (route.name !== undefined) return NAMED_VERBS.some((verb) => verbs.includes(verb));
  return namespace !== undefined || verbs.includes("list");
}

const NAMED_VERBS = ["get", "update", "patch", "delete"] as const;

/** Rejects names that have another meaning in a path. */
function refuseName(name: string): void {
  const problem =
    name === "." || name === ".."
      ? `may not be '${name}'`
      : name.includes("%")
        ? "may not contain '%'"
        : undefined;
  if (problem) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problem}`);
}

const SUBRESOURCE_VERBS: {
  readonly [method: string]: "create" | "delete" | "get" | "patch" | "update" | undefined;
} = { GET: "get", POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };
