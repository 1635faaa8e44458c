/** Everything that is not a resource: discovery, version, health, OpenAPI. */
import { ApiError, methodNotAllowed, unknownResource } from "../../api/errors.ts";
import { formatYaml } from "../../api/schema/yaml-text.ts";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  versionInfo,
} from "../discovery/discovery.ts";
import { openapiDocument, openapiIndex } from "../openapi/openapi.ts";
import {
  encodeOpenapiV2,
  OPENAPI_V2_JSON,
  OPENAPI_V2_PROTOBUF_TYPE,
} from "../openapi/openapi-v2.ts";
import { type Answer, type BytesAnswer, plainText } from "./answer.ts";
import { contentHash } from "./content-hash.ts";
import { mediaOf, parseAccept, unavailable } from "./negotiate.ts";
import type { ApiServer, Request } from "./request.ts";

/** These answers tell nothing of what is stored, so they wait for no revision. */
const NO_REVISION = 0;
const PAGE_NOT_FOUND = "404 page not found\n";

export function serveMeta(server: ApiServer, request: Request): Answer {
  const answer = serveHealth(request) ?? serveOpenapi(server, request);
  if (answer) return { ...answer, revision: NO_REVISION };
  return { ...serveDiscovery(server, request), revision: NO_REVISION };
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/(.*))?$/;
const HEALTH_CHECKS = new Set(["", "ping", "log", "etcd"]);

function serveHealth({ path }: Request): BytesAnswer | undefined {
  const health = HEALTH.exec(path);
  if (!health) return undefined;
  const known = HEALTH_CHECKS.has(health[1] ?? "");
  return known ? plainText(200, "ok") : plainText(404, PAGE_NOT_FOUND);
}

function serveOpenapi(server: ApiServer, request: Request): BytesAnswer | undefined {
  const { path } = request;
  if (path === "/openapi/v2") return serveOpenapiV2(request);
  if (path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  if (request.method !== "GET") throw methodNotAllowed();
  if (path === "/openapi/v3") {
    const index = JSON.stringify(openapiIndex(server.registry.kinds));
    return tagged(request, index, "text/plain; charset=utf-8");
  }
  const document = openapiDocument(path.slice("/openapi/v3/".length), server.registry.kinds);
  if (!document) return plainText(404, PAGE_NOT_FOUND);
  return tagged(request, document.text, "application/json");
}

function serveOpenapiV2(request: Request): BytesAnswer {
  if (request.method !== "GET") throw methodNotAllowed();
  for (const { type } of parseAccept(request.accept || "application/json")) {
    if (mediaOf(type) === "json") return tagged(request, OPENAPI_V2_JSON, "application/json");
    if (type.replace("@", ".") !== OPENAPI_V2_PROTOBUF_TYPE) continue;
    const contentType = OPENAPI_V2_PROTOBUF_TYPE;
    return { type: "bytes", status: 200, contentType, body: encodeOpenapiV2() };
  }
  throw unavailable(["application/json", OPENAPI_V2_PROTOBUF_TYPE]);
}

/** An answer that a client may keep and ask after by its tag. */
function tagged(
  request: Request,
  body: string,
  contentType: string,
  extra: Readonly<Record<string, string>> = {},
): BytesAnswer {
  const etag = `"${contentHash(body)}"`;
  const headers = { ETag: etag, Vary: "Accept", ...extra };
  if (request.ifNoneMatch === etag) {
    return { type: "bytes", status: 304, contentType: undefined, body: "", headers };
  }
  return { type: "bytes", status: 200, contentType, body, headers };
}

function serveDiscovery(server: ApiServer, request: Request): BytesAnswer {
  const { path } = request;
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (trimmed === "/api" || trimmed === "/apis") return serveRoots(server, request, trimmed);
  // Only these two answer any method, as the recorded server does.
  if (trimmed === "/version") return servePlain(request, versionInfo(), ["application/json"]);
  const [root, first, second, ...rest] = trimmed.slice(1).split("/");
  const { kinds } = server.registry;
  if (root === "api" && second === undefined) {
    if (first !== "v1") throw unknownResource();
    return servePlain(request, apiResourceList(kinds, "", "v1"));
  }
  const group = first ?? "";
  if (root !== "apis" || rest.length > 0 || !server.registry.hasGroup(group) || group === "") {
    return plainText(404, PAGE_NOT_FOUND);
  }
  if (second === undefined) return servePlain(request, apiGroup(kinds, group));
  const list = apiResourceList(kinds, group, second);
  if (!list) throw unknownResource();
  return servePlain(request, list);
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function serveRoots(server: ApiServer, request: Request, path: string): BytesAnswer {
  const { kinds } = server.registry;
  for (const { type, parameters } of parseAccept(request.accept ?? "application/json")) {
    const media = mediaOf(type === "" ? "application/json" : type);
    if (!media) continue;
    if (parameters["as"] === "APIGroupDiscoveryList") {
      if (parameters["g"] !== "apidiscovery.k8s.io" || parameters["v"] !== "v2") continue;
      const body = aggregatedDiscovery(kinds, path === "/api" ? "core" : "groups");
      return tagged(request, JSON.stringify(body), AGGREGATED);
    }
    if (parameters["as"] !== undefined) continue;
    return servePlain(request, path === "/api" ? apiVersions(server.address) : apiGroupList(kinds));
  }
  const accept = parseAccept(request.accept ?? "");
  if (accept.some(({ type }) => mediaOf(type))) throw onlyPlain();
  throw unavailable(DISCOVERY_TYPES);
}

const DISCOVERY_TYPES = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

function servePlain(
  request: Request,
  body: object | undefined,
  types: readonly string[] = DISCOVERY_TYPES,
): BytesAnswer {
  if (!body) throw unknownResource();
  if (request.method !== "GET" && !isRoot(request.path)) throw methodNotAllowed();
  const clauses = parseAccept(request.accept || "application/json");
  for (const { type, parameters } of clauses) {
    if (parameters["as"] !== undefined) continue;
    const media = mediaOf(type);
    if (!media) continue;
    if (media === "yaml" && types.length > 1) {
      return {
        type: "bytes",
        status: 200,
        contentType: "application/yaml",
        body: formatYaml(body),
      };
    }
    return {
      type: "bytes",
      status: 200,
      contentType: "application/json",
      body: JSON.stringify(body),
    };
  }
  if (clauses.some(({ type }) => mediaOf(type))) throw onlyPlain();
  throw unavailable(types);
}

function isRoot(path: string): boolean {
  return /^\/apis?\/?$/.test(path);
}

function onlyPlain(): ApiError {
  const message = `only the following media types are accepted: ${DISCOVERY_TYPES.join(", ")}`;
  return new ApiError(406, "NotAcceptable", message);
}
