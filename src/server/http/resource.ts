/** Requests on collections and on single objects: decode, call the verb, represent. */
import { badRequest, methodNotAllowed } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { findFieldEquality, parseFieldSelector } from "../../api/selectors/field-selector-query.ts";
import { type Kind, type Verb, verbsOf } from "../../kinds/kind.ts";
import { isReview } from "../../kinds/review/kinds.ts";
import type { WriteOptions } from "../context.ts";
import { apply, type Configuration } from "../verbs/apply.ts";
import { create } from "../verbs/create.ts";
import { deleteObject } from "../verbs/delete.ts";
import { deleteCollection } from "../verbs/delete-collection.ts";
import { deletionWarnings, validateDeleteOptions } from "../verbs/delete-options.ts";
import { get } from "../verbs/get.ts";
import {
  type ListOptions,
  list,
  parseRevision,
  refuseFuture,
  validateListOptions,
} from "../verbs/list.ts";
import { patch } from "../verbs/patch.ts";
import { parseSelection } from "../verbs/selection.ts";
import { type UpdateTarget, update } from "../verbs/update.ts";
import { watch } from "../verbs/watch.ts";
import type { Answer, BytesAnswer, WatchAnswer } from "./answer.ts";
import { judgePatch, judgeRepeated, readDeleteOptions, readObject, readPatch } from "./body.ts";
import { warned } from "./error-answer.ts";
import { type Endpoint, mediaOf, negotiate } from "./negotiate.ts";
import {
  managerOfAgent,
  parseGetQuery,
  parseListQuery,
  parseWriteQuery,
  type WriteOptionsKind,
  type WriteQuery,
} from "./options.ts";
import { representList, representObject, representStatus, type View } from "./represent.ts";
import type { ApiServer, NamedRequest, Request, ResourceRequest } from "./request.ts";
import { serveReview } from "./review.ts";
import { parseIncludeObject } from "./table.ts";

function allow(kind: Kind, verb: Verb): void {
  if (!verbsOf(kind).includes(verb)) throw methodNotAllowed();
}

export function serveCollection(server: ApiServer, request: ResourceRequest): Answer {
  const { kind, method, namespace } = request;
  switch (method) {
    case "GET":
      return serveList(server, request, request.watchPath);
    case "POST":
      allow(kind, "create");
      if (namespace === undefined) throw methodNotAllowed();
      return serveCreate(server, { ...request, namespace });
    case "DELETE":
      allow(kind, "deletecollection");
      if (namespace === undefined) throw methodNotAllowed();
      return serveDeleteCollection(server, { ...request, namespace });
    default:
      throw methodNotAllowed();
  }
}

export function serveNamed(server: ApiServer, request: NamedRequest): Answer {
  const { kind, namespace, name } = request;
  const target: UpdateTarget = { kind, namespace, name, part: "object" };
  switch (request.method) {
    case "GET":
      if (request.watchPath) return serveList(server, watchOne(request), true);
      allow(kind, "get");
      return serveGet(server, request);
    case "PUT":
      allow(kind, "update");
      return serveUpdate(server, request, target);
    case "PATCH":
      allow(kind, "patch");
      return servePatch(server, request, target);
    case "DELETE":
      allow(kind, "delete");
      return serveDelete(server, request);
    default:
      throw methodNotAllowed();
  }
}

export function viewOf(
  server: ApiServer,
  request: ResourceRequest,
  shape: Endpoint["shape"] = "object",
): View {
  const { accept, kind, query } = request;
  return {
    representation: negotiate(accept, { shape, tables: !isReview(kind), media: mediaOf(kind) }),
    includeObject: query.get("includeObject"),
    now: new Date(server.clock.nowMs()),
  };
}

/** The deprecated watch path of one object is a watch of the collection for that name. */
function watchOne(request: NamedRequest): ResourceRequest {
  const query = new URLSearchParams(request.query);
  const asked = query.get("fieldSelector") ?? "";
  const selected = findFieldEquality(parseFieldSelector(asked), "metadata.name");
  if (asked !== "" && selected !== request.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  query.set("fieldSelector", asked || `metadata.name=${request.name}`);
  return { ...request, query };
}

function serveList(server: ApiServer, request: ResourceRequest, watchPath: boolean): Answer {
  const { kind, namespace, query } = request;
  allow(kind, watchPath ? "watch" : "list");
  const view = viewOf(server, request, "list");
  const options = parseListQuery(query);
  if (options.watch || watchPath) {
    allow(kind, "watch");
    return serveWatch(server, request, options);
  }
  const scope = kind.namespaced ? namespace : undefined;
  const listed = list(server, kind, scope, options);
  const revision = server.store.revision;
  return { type: "bytes", status: 200, ...representList(kind, listed, view), revision };
}

function serveWatch(
  server: ApiServer,
  request: ResourceRequest,
  options: ListOptions,
): WatchAnswer {
  const { kind, namespace } = request;
  const { representation, includeObject } = viewOf(server, request, "watch");
  if (representation.as === "Table") parseIncludeObject(includeObject);
  const watching = watch(server, kind, kind.namespaced ? namespace : undefined, options);
  return {
    type: "watch",
    kind,
    representation,
    includeObject,
    watching,
    bookmarks: options.allowWatchBookmarks ?? false,
    timeoutSeconds: options.timeoutSeconds,
  };
}

function serveCreate(
  server: ApiServer,
  request: ResourceRequest & { readonly namespace: string },
): Answer {
  const { kind, namespace } = request;
  const view = viewOf(server, request);
  if (isReview(kind)) return serveReview(server, request, view);
  const options = writeOptions(request, "CreateOptions");
  const decoded = readObject(server, request, kind, options.fieldValidation);
  return warned(server, request, decoded.warnings, () => {
    const written = create(server, kind, namespace, decoded.object, options);
    return objectAnswer(server, 201, kind, written.object, view, written.warnings);
  });
}

export function writeOptions(
  request: Request,
  kind: WriteOptionsKind,
): WriteQuery & WriteOptions & { readonly manager: string } {
  const { query, user, annotate, userAgent } = request;
  const options = parseWriteQuery(query, kind);
  const manager = options.fieldManager || managerOfAgent(userAgent);
  return { ...options, user, ...(annotate ? { annotate } : {}), manager };
}

export function objectAnswer(
  server: ApiServer,
  status: number,
  kind: Kind,
  object: KubeObject,
  view: View,
  warnings: readonly string[] = [],
): BytesAnswer {
  const represented = representObject(kind, object, view);
  return { type: "bytes", status, ...represented, warnings, revision: server.store.revision };
}

function serveGet(server: ApiServer, request: NamedRequest): Answer {
  const { kind, namespace, name } = request;
  const view = viewOf(server, request);
  const { resourceVersion = "0" } = parseGetQuery(request.query);
  parseRevision(resourceVersion);
  refuseFuture(server, resourceVersion);
  const object = get(server, kind, namespace, name);
  const represented = representObject(kind, object, view);
  const revision = Number(object.metadata.resourceVersion);
  return { type: "bytes", status: 200, ...represented, revision };
}

export function serveUpdate(
  server: ApiServer,
  request: NamedRequest,
  target: UpdateTarget,
): Answer {
  const view = viewOf(server, request);
  const options = writeOptions(request, "UpdateOptions");
  const decoded = readObject(server, request, request.kind, options.fieldValidation);
  return warned(server, request, decoded.warnings, () => {
    const updated = update(server, target, decoded.object, options);
    const status = updated.created ? 201 : 200;
    return objectAnswer(server, status, request.kind, updated.object, view, updated.warnings);
  });
}

export function servePatch(server: ApiServer, request: NamedRequest, target: UpdateTarget): Answer {
  const { kind } = request;
  const { type, body } = readPatch(request);
  if (type === "apply") return serveApply(server, request, target, body);
  const change = { type, body };
  const view = viewOf(server, request);
  const options = writeOptions(request, "PatchOptions");
  const warnings: string[] = [];
  return warned(server, request, warnings, () => {
    const patched = patch(server, target, change, options, (strict, shown) => {
      warnings.push(...judgePatch(strict, shown, options.fieldValidation));
    });
    return objectAnswer(server, 200, kind, patched.object, view, patched.warnings);
  });
}

function serveApply(
  server: ApiServer,
  request: NamedRequest,
  target: UpdateTarget,
  body: Configuration,
): Answer {
  const view = viewOf(server, request);
  const options = writeOptions(request, "ApplyOptions");
  const warnings: string[] = [];
  return warned(server, request, warnings, () => {
    const { object, created, ...more } = apply(server, target, body, options, (repeatedKeys) => {
      warnings.push(...judgeRepeated(repeatedKeys, options.fieldValidation));
    });
    return objectAnswer(server, created ? 201 : 200, request.kind, object, view, more.warnings);
  });
}

function serveDelete(server: ApiServer, request: NamedRequest): Answer {
  const { kind, namespace, name } = request;
  const view = viewOf(server, request);
  const options = readDeleteOptions(request);
  validateDeleteOptions(options);
  const warnings = deletionWarnings(kind, options);
  return warned(server, request, warnings, () => {
    const deleted = deleteObject(server, kind, namespace, name, options);
    const status = !deleted.removed && options.orphanDependents === false ? 202 : 200;
    if (!deleted.removed || kind.deletion?.returnsObject) {
      return objectAnswer(server, status, kind, deleted.object, view);
    }
    return removedAnswer(server, status, request, deleted.object, view);
  });
}

function removedAnswer(
  server: ApiServer,
  status: number,
  { kind, name }: NamedRequest,
  removed: KubeObject,
  view: View,
): BytesAnswer {
  const { uid } = removed.metadata;
  const represented = representStatus(view.representation.media, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  });
  return { type: "bytes", status, ...represented, revision: server.store.revision };
}

function serveDeleteCollection(
  server: ApiServer,
  request: ResourceRequest & { readonly namespace: string },
): Answer {
  const { kind, namespace, query } = request;
  const view = viewOf(server, request);
  const options = readDeleteOptions(request);
  validateDeleteOptions(options);
  const listOptions = parseListQuery(query);
  const scope = kind.namespaced ? namespace : undefined;
  // Check the options before warnings are computed: an invalid request gets none.
  validateListOptions(listOptions);
  parseSelection(kind, listOptions);
  return warned(server, request, deletionWarnings(kind, options), () => {
    const listed = deleteCollection(server, kind, scope, listOptions, options);
    const represented = representList(kind, listed, view);
    return { type: "bytes", status: 200, ...represented, revision: server.store.revision };
  });
}
