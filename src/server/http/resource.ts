/** The requests on collections and on named objects: decode, call the verb, represent. */
import { methodNotAllowed } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Kind, type Verb, verbsOf } from "../../kinds/kind.ts";
import { isReview } from "../../kinds/review/kinds.ts";
import { create } from "../verbs/create.ts";
import { type Deleted, deleteObject } from "../verbs/delete.ts";
import { deleteCollection } from "../verbs/delete-collection.ts";
import { deletionWarnings, validateDeleteOptions } from "../verbs/delete-options.ts";
import { get } from "../verbs/get.ts";
import { list, parseRevision } from "../verbs/list.ts";
import { patch } from "../verbs/patch.ts";
import { type UpdateTarget, update } from "../verbs/update.ts";
import { watch } from "../verbs/watch.ts";
import type { Answer, BytesAnswer } from "./answer.ts";
import { judgePatch, readDeleteOptions, readObject, readPatch } from "./body.ts";
import { errorAnswer } from "./error-answer.ts";
import { negotiate } from "./negotiate.ts";
import { parseListQuery, parseWriteQuery } from "./options.ts";
import { representList, representObject, representStatus, type View } from "./represent.ts";
import type { ApiServer, NamedRequest, ResourceRequest } from "./request.ts";
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

export function viewOf(server: ApiServer, request: ResourceRequest): View {
  const representation = negotiate(request.accept, false);
  return {
    representation,
    includeObject:
      representation.as === "Table"
        ? parseIncludeObject(request.query.get("includeObject"))
        : "Metadata",
    now: new Date(server.clock.nowMs()),
  };
}

/** The deprecated watch path of one object is a watch of the collection for that name. */
function watchOne(request: NamedRequest): ResourceRequest {
  const query = new URLSearchParams(request.query);
  query.set("fieldSelector", `metadata.name=${request.name}`);
  return { ...request, query };
}

function serveList(server: ApiServer, request: ResourceRequest, watchPath: boolean): Answer {
  const { kind, namespace, query } = request;
  const options = parseListQuery(query);
  if (options.watch || watchPath) {
    allow(kind, "watch");
    return serveWatch(server, request);
  }
  allow(kind, "list");
  const view = viewOf(server, request);
  const scope = kind.namespaced ? namespace : undefined;
  const listed = list(server, kind, scope, options);
  const revision = server.store.revision;
  return { type: "bytes", status: 200, ...representList(kind, listed, view), revision };
}

function serveWatch(server: ApiServer, request: ResourceRequest): Answer {
  const { kind, namespace, query } = request;
  const representation = negotiate(request.accept, true);
  const options = parseListQuery(query);
  const watching = watch(server, kind, kind.namespaced ? namespace : undefined, options);
  return {
    type: "watch",
    kind,
    representation,
    includeObject: parseIncludeObject(query.get("includeObject")),
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
  const options = parseWriteQuery(request.query, "CreateOptions");
  const decoded = readObject(server.registry, request, kind, options.fieldValidation);
  const written = create(server, kind, namespace, decoded.object, options);
  const warnings = [...decoded.warnings, ...written.warnings];
  return objectAnswer(server, 201, kind, written.object, view, warnings);
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
  parseRevision(request.query.get("resourceVersion") || "0");
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
  const options = parseWriteQuery(request.query, "UpdateOptions");
  const decoded = readObject(server.registry, request, request.kind, options.fieldValidation);
  const updated = update(server, target, decoded.object, options);
  const warnings = [...decoded.warnings, ...updated.warnings];
  const status = updated.created ? 201 : 200;
  return objectAnswer(server, status, request.kind, updated.object, view, warnings);
}

export function servePatch(server: ApiServer, request: NamedRequest, target: UpdateTarget): Answer {
  const { kind } = request;
  const change = readPatch(request);
  const view = viewOf(server, request);
  const options = parseWriteQuery(request.query, "PatchOptions");
  let unknown: readonly string[] = [];
  const patched = patch(server, target, change, options, (strict, shown) => {
    unknown = judgePatch(strict, shown, options.fieldValidation);
  });
  return objectAnswer(server, 200, kind, patched.object, view, [...unknown, ...patched.warnings]);
}

function serveDelete(server: ApiServer, request: NamedRequest): Answer {
  const { kind, namespace, name } = request;
  const view = viewOf(server, request);
  const options = readDeleteOptions(request);
  validateDeleteOptions(options);
  const warnings = deletionWarnings(kind, options);
  let deleted: Deleted;
  try {
    deleted = deleteObject(server, kind, namespace, name, options);
  } catch (error) {
    // What the options would have led to is said whether or not there is such an object.
    return { ...errorAnswer(server, request, error), warnings };
  }
  const status = !deleted.removed && options.orphanDependents === false ? 202 : 200;
  if (!deleted.removed || kind.deletion?.returnsObject) {
    return objectAnswer(server, status, kind, deleted.object, view, warnings);
  }
  const { uid } = deleted.object.metadata;
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
  return { type: "bytes", status, ...represented, warnings, revision: server.store.revision };
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
  const { warnings, ...listed } = deleteCollection(server, kind, scope, listOptions, options);
  const represented = representList(kind, listed, view);
  return { type: "bytes", status: 200, ...represented, warnings, revision: server.store.revision };
}
