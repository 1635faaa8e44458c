/** Pure: builds the HTTP request for each call of a Client. Nothing is sent here. */
import type {
  DeleteRequest,
  JobSubmission,
  ListRequest,
  Name,
  PatchRequest,
  PodName,
  ResourceType,
  TokenSpec,
  WatchRequest,
} from "../api/client.ts";
import { badRequest } from "../api/errors.ts";
import { quote } from "../api/finding.ts";
import type { KubeObject } from "../api/object.ts";
import { pods, serviceAccounts } from "../api/resources.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Including the query. */
  readonly path: string;
  /** The Accept header; by default application/json. */
  readonly accept?: string;
  readonly body?: HttpBody;
}

export interface HttpBody {
  readonly contentType: string;
  readonly text: string;
  /** Sent instead of the text if present. */
  readonly bytes?: Uint8Array;
}

/** Encodes an object as a request body. */
export type Tell = (object: KubeObject) => HttpBody;

export function getRequest(type: ResourceType, name: Name): HttpRequest {
  return { method: "GET", path: objectPath(type, name) };
}

export function listRequest(type: ResourceType, request: ListRequest): HttpRequest {
  const { namespace, ...parameters } = request;
  return { method: "GET", path: `${collectionPath(type, namespace)}${query(parameters)}` };
}

/** Requests bookmarks: a watch without events can then still resume from a recent revision. */
export function watchRequest(
  type: ResourceType,
  request: WatchRequest,
  timeoutSeconds?: number,
): HttpRequest {
  const { namespace, sendInitialEvents, ...parameters } = request;
  const path = collectionPath(type, namespace);
  const manner = {
    allowWatchBookmarks: "true",
    ...(sendInitialEvents ? { sendInitialEvents: "true", resourceVersionMatch: MATCH } : {}),
    timeoutSeconds,
  };
  return { method: "GET", path: `${path}${query({ watch: "true", ...parameters, ...manner })}` };
}

/** The only value that Kubernetes allows for a watch with initial events. */
const MATCH = "NotOlderThan";

export function createRequest(
  type: ResourceType,
  object: KubeObject,
  tell: Tell = json,
): HttpRequest {
  const path = collectionPath(type, object.metadata.namespace);
  return { method: "POST", path, body: tell(object) };
}

/** Only Tally's own server supports this request. */
export function submissionRequest(submission: JobSubmission): HttpRequest {
  const { namespace = "", name = "" } = submission.job.metadata;
  const place = `namespaces/${encodeURIComponent(namespace)}/jobs/${encodeURIComponent(name)}`;
  const body = { contentType: "application/json", text: JSON.stringify(submission) };
  return { method: "POST", path: `/apis/tallyjob.io/v1alpha1/${place}/submission`, body };
}

export function updateRequest(
  type: ResourceType,
  object: KubeObject,
  subresource?: "status" | "finalize",
  tell: Tell = json,
): HttpRequest {
  const { name = "", namespace } = object.metadata;
  const place = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { method: "PUT", path: objectPath(type, place, subresource), body: tell(object) };
}

const PATCH_TYPES: Record<PatchRequest["type"], string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

export function patchRequest(type: ResourceType, name: Name, request: PatchRequest): HttpRequest {
  const body = { contentType: PATCH_TYPES[request.type], text: JSON.stringify(request.body) };
  return { method: "PATCH", path: objectPath(type, name, request.subresource), body };
}

export function deleteRequest(type: ResourceType, name: Name, request: DeleteRequest): HttpRequest {
  const options = { kind: "DeleteOptions", apiVersion: "v1", ...request };
  return { method: "DELETE", path: objectPath(type, name), body: json(options) };
}

export function bindRequest({ uid, ...place }: PodName, node: string): HttpRequest {
  const metadata = { ...place, ...(uid === undefined ? {} : { uid }) };
  const target = { kind: "Node", name: node };
  const binding = { apiVersion: "v1", kind: "Binding", metadata, target };
  return { method: "POST", path: objectPath(pods, place, "binding"), body: json(binding) };
}

export function tokenRequest(account: Name, spec: TokenSpec): HttpRequest {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  return { method: "POST", path: objectPath(serviceAccounts, account, "token"), body: json(body) };
}

function json(value: object): HttpBody {
  return { contentType: "application/json", text: JSON.stringify(value) };
}

export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const { group, version, resource, namespaced } = type;
  const root = group === "" ? ["api", version] : ["apis", group, version];
  const isInOne = namespaced && namespace !== undefined && namespace !== "";
  const parts = [...root, ...(isInOne ? ["namespaces", namespace] : []), resource];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/**
 * Rejects an empty name, which would address the whole collection, and names such as "..", which
 * would lead to another path.
 */
export function objectPath(
  type: ResourceType,
  { name, namespace }: Name,
  subresource?: string,
): string {
  if (name === "") throw badRequest("resource name may not be empty");
  for (const part of [name, namespace ?? ""]) {
    if (/^\.\.?$|[/%]/.test(part)) throw badRequest(`invalid resource name ${quote(part)}`);
  }
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function query(parameters: {
  readonly [name: string]: string | number | undefined;
}): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
