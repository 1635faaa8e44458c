/** All requests that are not about resources: discovery, version, health, metrics, OpenAPI. */
import { methodNotAllowed, unknownResource } from "../../api/errors.ts";
import { formatYaml } from "../../api/schema/yaml-text.ts";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  versionInfo,
} from "../discovery/discovery.ts";
import { JOB_INDEXES, type OfferedKind } from "../discovery/offered.ts";
import { openapiDocument, openapiIndex } from "../openapi/openapi.ts";
import { OPENAPI_V2_PROTOBUF_TYPE, openapiV2 } from "../openapi/openapi-v2.ts";
import { ISSUER } from "../tokens/claims.ts";
import { type Answer, type BytesAnswer, json, plainText } from "./answer.ts";
import { contentHash } from "./content-hash.ts";
import {
  anyMedia,
  CONTENT_TYPES,
  isRoutable,
  negotiatePlain,
  OBJECTS,
  onlyThese,
  parseAccept,
  plainMedia,
  unavailable,
} from "./negotiate.ts";
import { representPlain } from "./represent.ts";
import type { ApiServer, Request } from "./request.ts";

/** These answers do not depend on stored objects, so they wait for no revision. */
const NO_REVISION = 0;
const PAGE_NOT_FOUND = "404 page not found\n";

export function serveMeta(server: ApiServer, request: Request): Answer {
  const answer =
    serveHealth(request) ??
    serveMetrics(server, request) ??
    serveOpenapi(server, request) ??
    serveIssuer(server, request);
  if (answer) return { ...answer, revision: NO_REVISION };
  return { ...serveDiscovery(server, request), revision: NO_REVISION };
}

const HEALTH = /^\/(healthz|livez|readyz)(?:\/(.*))?$/;
const HEALTH_CHECKS = ["ping", "log", "etcd"];
/** A server that answers at all has loaded its store and is not shutting down. */
const READY_CHECKS = [...HEALTH_CHECKS, "etcd-readiness", "informer-sync", "shutdown"];

function serveHealth({ path, query }: Request): BytesAnswer | undefined {
  const [, endpoint, check] = HEALTH.exec(path) ?? [];
  if (!endpoint) return undefined;
  const checks = endpoint === "readyz" ? READY_CHECKS : HEALTH_CHECKS;
  if (check !== undefined && !checks.includes(check)) return plainText(404, PAGE_NOT_FOUND);
  if (check !== undefined || !query.has("verbose")) return plainText(200, "ok");
  const excluded = query.getAll("exclude");
  const lines = checks.map(
    (name) => `[+]${name} ${excluded.includes(name) ? "excluded: ok" : "ok"}\n`,
  );
  return plainText(200, `${lines.join("")}${endpoint} check passed\n`);
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function serveMetrics({ metrics }: ApiServer, request: Request): BytesAnswer | undefined {
  if (request.path !== "/metrics" || !metrics) return undefined;
  if (request.method !== "GET") throw methodNotAllowed();
  return { type: "bytes", status: 200, contentType: METRICS_TYPE, body: metrics.text() };
}

/** These paths answer any method. */
function serveOpenapi(server: ApiServer, request: Request): BytesAnswer | undefined {
  const { path } = request;
  if (path === "/openapi/v2") return serveOpenapiV2(server, request);
  if (path !== "/openapi/v3" && !path.startsWith("/openapi/v3/")) return undefined;
  if (path === "/openapi/v3") {
    const index = JSON.stringify(openapiIndex(server.registry.kinds));
    return tagged(request, index, "text/plain; charset=utf-8");
  }
  const document = openapiDocument(path.slice("/openapi/v3/".length), server.registry.kinds);
  if (!document) return { type: "bytes", status: 404, contentType: undefined, body: "" };
  return tagged(request, document.text, "application/json");
}

function serveOpenapiV2({ registry }: ApiServer, request: Request): BytesAnswer {
  for (const clause of parseAccept(request.accept || "application/json")) {
    const type = `${clause.type}/${clause.subtype}`.replace("@", ".");
    const isJson = anyMedia(clause) === "json";
    if (!isJson && type !== OPENAPI_V2_PROTOBUF_TYPE) continue;
    const document = openapiV2(registry.kinds);
    const { hash } = document;
    if (isJson) return tagged(request, document.text, "application/json", { hash });
    return tagged(request, document.protobuf(), OPENAPI_V2_PROTOBUF_TYPE, { hash });
  }
  throw unavailable(["application/json", OPENAPI_V2_PROTOBUF_TYPE]);
}

/** OpenID Connect discovery, with which others can verify ServiceAccount tokens themselves. */
function serveIssuer({ signer, address }: ApiServer, request: Request): BytesAnswer | undefined {
  const path = request.path.replace(/\/$/, "");
  if ((path !== ISSUER_PATH && path !== KEYS_PATH) || !signer) return undefined;
  if (request.method !== "GET") throw methodNotAllowed();
  const headers = { "Cache-Control": "public, max-age=3600" };
  if (path === KEYS_PATH) {
    const body = JSON.stringify({ keys: [signer.publicKey] });
    return { type: "bytes", status: 200, contentType: "application/jwk-set+json", body, headers };
  }
  const described = {
    issuer: ISSUER,
    jwks_uri: `https://${address}${KEYS_PATH}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
  return { ...json(200, described), headers };
}

const ISSUER_PATH = "/.well-known/openid-configuration";
const KEYS_PATH = "/openid/v1/jwks";

/** An answer with an ETag, which a client may cache and revalidate. */
function tagged(
  request: Request,
  body: string | Uint8Array,
  contentType: string,
  { hash }: { readonly hash?: string } = {},
): BytesAnswer {
  const etag = `"${hash ?? contentHash(body)}"`;
  const headers = { ETag: etag, Vary: "Accept" };
  if (request.ifNoneMatch === etag) {
    return { type: "bytes", status: 304, contentType: undefined, body: "", headers };
  }
  return { type: "bytes", status: 200, contentType, body, headers };
}

function serveDiscovery(server: ApiServer, request: Request): BytesAnswer {
  const { path } = request;
  const kinds = [...server.registry.kinds, JOB_INDEXES];
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (trimmed === "/api" || trimmed === "/apis") return serveRoots(server, request, trimmed);
  if (path === "/") return json(200, { paths: servedPaths(kinds) });
  const [root, first, second, ...rest] = trimmed.slice(1).split("/");
  if (root === "version") return serveVersion(request, first);
  if (root === "api" && second === undefined && first === "v1") {
    return serveRouted(request, apiResourceList(kinds, "", "v1"));
  }
  const group = first ?? "";
  const isOffered = kinds.some((kind) => kind.group === group);
  const isKnown = root === "apis" && group !== "" && isOffered;
  if (root === "api" || (isKnown && rest.length > 0)) throw unknownResource();
  if (!isKnown) return plainText(404, PAGE_NOT_FOUND);
  if (second === undefined) return servePlain(request, apiGroup(kinds, group));
  return serveRouted(request, apiResourceList(kinds, group, second));
}

const FIXED_PATHS = ["/api", "/apis", "/healthz", "/livez", "/readyz", "/version"];
const OPENAPI_PATHS = ["/openapi/v2", "/openapi/v3"];

/** The paths a client may start from. */
function servedPaths(kinds: readonly OfferedKind[]): string[] {
  const versions = kinds.flatMap(({ group, version }) =>
    group === "" ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  return [...new Set([...FIXED_PATHS, ...OPENAPI_PATHS, ...versions])].sort();
}

function serveVersion(request: Request, more: string | undefined): BytesAnswer {
  if (more !== undefined) throw unknownResource();
  if (request.method !== "GET") throw methodNotAllowed();
  const types = ["application/json"];
  if (!isRoutable(request.accept || "*/*", types)) throw unavailable(types);
  return json(200, versionInfo());
}

const AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

function serveRoots(server: ApiServer, request: Request, path: string): BytesAnswer {
  const kinds = [...server.registry.kinds, JOB_INDEXES];
  const isCore = path === "/api";
  const plain = isCore ? serveRouted : servePlain;
  const whole = isCore ? apiVersions(server.address) : apiGroupList(kinds);
  for (const clause of parseAccept(request.accept ?? "")) {
    if (plainMedia(clause)) break;
    const { as, g, v } = clause.parameters;
    const asks = as === "APIGroupDiscoveryList" && g === "apidiscovery.k8s.io" && v === "v2";
    const media = anyMedia(clause);
    if (!asks || !media || media === "protobuf") continue;
    if (isCore && request.method !== "GET") throw methodNotAllowed();
    const whole = aggregatedDiscovery(kinds, isCore ? "core" : "groups");
    const text = media === "yaml" ? formatYaml(whole) : JSON.stringify(whole);
    return tagged(request, text, `${CONTENT_TYPES[media]};${AGGREGATED}`);
  }
  return plain(request, whole);
}

/** Documents served through the router, which checks method and media type. */
function serveRouted(request: Request, body: object | undefined): BytesAnswer {
  if (!body) throw unknownResource();
  if (request.method !== "GET") throw methodNotAllowed();
  if (!isRoutable(request.accept || "*/*", OBJECTS)) throw unavailable(OBJECTS);
  return servePlain(request, body);
}

function servePlain(request: Request, body: object | undefined): BytesAnswer {
  if (!body) throw unknownResource();
  const media = negotiatePlain(request.accept);
  if (!media) throw onlyThese(OBJECTS);
  const { kind } = body as { kind: string };
  const typed = { ...body, kind, apiVersion: "v1" };
  const shown = media === "protobuf" ? typed : body;
  return {
    type: "bytes",
    status: 200,
    ...representPlain(media, shown as { kind: string; apiVersion: string }, `meta/v1.${kind}`),
  };
}
