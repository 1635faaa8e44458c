/** Requests on subresources: status, scale, binding, eviction, finalize, streams. */
import { methodNotAllowed, type Status } from "../../api/errors.ts";
import type { TokenRequest } from "../../api/generated/authentication.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Subresource } from "../../kinds/kind.ts";
import { requestToken, TOKEN_REQUEST } from "../tokens/request-token.ts";
import type { Configuration } from "../verbs/apply.ts";
import { applyScale } from "../verbs/apply-scale.ts";
import { bind } from "../verbs/bind.ts";
import { type DeleteOptions, validateDeleteOptions } from "../verbs/delete-options.ts";
import { evict } from "../verbs/evict.ts";
import { get } from "../verbs/get.ts";
import { getScale, patchScale, SCALE, updateScale } from "../verbs/scale.ts";
import type { UpdateTarget } from "../verbs/update.ts";
import type { Answer, BytesAnswer } from "./answer.ts";
import { judgePatch, readMessage, readPatch } from "./body.ts";
import { warned } from "./error-answer.ts";
import { negotiate } from "./negotiate.ts";
import { parseWriteQuery } from "./options.ts";
import { servePodLog } from "./pod-log.ts";
import { representObject, representStatus } from "./represent.ts";
import type { ApiServer, NamedRequest, Request } from "./request.ts";
import { objectAnswer, servePatch, serveUpdate, viewOf, writeOptions } from "./resource.ts";
import { serveStream } from "./streams/serve-stream.ts";

export function serveSubresource(
  server: ApiServer,
  request: NamedRequest,
  subresource: Subresource,
): Answer {
  const { kind, namespace, name } = request;
  switch (subresource.name) {
    case "status":
    case "ephemeralcontainers":
    case "resize":
    case "finalize":
      return servePart(server, request, { kind, namespace, name, part: subresource.name });
    case "scale":
      return serveScale(server, request);
    case "binding":
      return serveBinding(server, request, namespace, name);
    case "eviction":
      return serveEviction(server, request);
    case "token":
      return serveToken(server, request);
    case "log":
      return servePodLog(server, request);
    default:
      return serveStream(server, request, subresource.name);
  }
}

function servePart(server: ApiServer, request: NamedRequest, target: UpdateTarget): Answer {
  const { kind, namespace, name } = request;
  switch (request.method) {
    case "GET": {
      const view = viewOf(server, request);
      return objectAnswer(server, 200, kind, get(server, kind, namespace, name), view);
    }
    case "PUT":
      return serveUpdate(server, request, target);
    case "PATCH":
      return servePatch(server, request, target);
    default:
      throw methodNotAllowed();
  }
}

function serveScale(server: ApiServer, request: NamedRequest): Answer {
  const { kind, namespace, name } = request;
  const view = viewOf(server, request);
  const target: UpdateTarget = { kind, namespace, name, part: "object" };
  const answer = (scale: KubeObject): BytesAnswer => {
    const represented = representObject(SCALE, scale, view);
    const { revision } = server.store;
    return { type: "bytes", status: 200, ...represented, revision };
  };
  switch (request.method) {
    case "GET":
      return answer(getScale(server, target));
    case "PUT": {
      const options = writeOptions(request, "UpdateOptions");
      const decoded = readMessage(server.registry, request, SCALE, options.fieldValidation);
      return warned(server, request, decoded.warnings, () =>
        answer(updateScale(server, target, decoded.object, options)),
      );
    }
    default: {
      const { type, body } = readPatch(request);
      if (type === "apply") return answer(applyToScale(server, request, target, body));
      const options = writeOptions(request, "PatchOptions");
      const change = { type, body };
      const warnings: string[] = [];
      return warned(server, request, warnings, () =>
        answer(
          patchScale(server, target, change, options, (strict, shown) => {
            warnings.push(...judgePatch(strict, shown, options.fieldValidation));
          }),
        ),
      );
    }
  }
}

function applyToScale(
  server: ApiServer,
  request: NamedRequest,
  target: UpdateTarget,
  body: Configuration,
): KubeObject {
  const options = writeOptions(request, "ApplyOptions");
  return applyScale(server, target, body, options);
}

const BINDING = { group: "", version: "v1", kind: "Binding", message: "core/v1.Binding" };

/** The older way to bind: the binding has the name of the pod. */
export function serveBindings(server: ApiServer, request: Request, namespace: string): Answer {
  if (request.method !== "POST") throw methodNotAllowed();
  return serveBinding(server, request, namespace, undefined);
}

function serveBinding(
  server: ApiServer,
  request: Request,
  namespace: string,
  name: string | undefined,
): Answer {
  const options = parseWriteQuery(request.query, "CreateOptions");
  const decoded = readMessage(server.registry, request, BINDING, options.fieldValidation);
  bind(server, namespace, name, decoded.object, options);
  return created(server, request, decoded.warnings);
}

const EVICTION = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
  message: "policy/v1.Eviction",
};

/** The only kind whose older version is still accepted: old clients drain nodes, too. */
const OLD_EVICTION = { ...EVICTION, version: "v1beta1" };

function serveEviction(server: ApiServer, request: NamedRequest): Answer {
  const options = parseWriteQuery(request.query, "CreateOptions");
  const expected = request.body.includes("policy/v1beta1") ? OLD_EVICTION : EVICTION;
  const decoded = readMessage(server.registry, request, expected, options.fieldValidation);
  const eviction = decoded.object as KubeObject & { readonly deleteOptions?: DeleteOptions };
  validateDeleteOptions(eviction.deleteOptions ?? {});
  evict(server, request.namespace, request.name, eviction, options);
  return created(server, request, decoded.warnings);
}

/** The answer contains a secret; like all answers it has "Cache-Control: no-cache, private". */
function serveToken(server: ApiServer, request: NamedRequest): Answer {
  const { namespace, name } = request;
  const view = viewOf(server, request);
  const options = parseWriteQuery(request.query, "CreateOptions");
  const decoded = readMessage(server.registry, request, TOKEN_REQUEST, options.fieldValidation);
  const asked = decoded.object as unknown as Draft<TokenRequest>;
  const issued = requestToken(server, { namespace, name }, asked);
  const represented = representObject(TOKEN_REQUEST, issued, view);
  const { revision } = server.store;
  return { type: "bytes", status: 201, ...represented, warnings: decoded.warnings, revision };
}

function created(server: ApiServer, request: Request, warnings: readonly string[]): BytesAnswer {
  const { media } = negotiate(request.accept);
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  };
  const represented = representStatus(media, status);
  return { type: "bytes", status: 201, ...represented, warnings, revision: server.store.revision };
}
