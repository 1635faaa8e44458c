/** The "token" subresource of ServiceAccounts: issues a token bound to the requested object. */
import { type ApiError, badRequest, conflict, invalidObject, notFound } from "../../api/errors.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { BoundObjectReference, TokenRequest } from "../../api/generated/authentication.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Cell } from "../../kinds/kind.ts";
import { createdAtColumn, nameColumn } from "../../kinds/meta/columns.ts";
import { type ServerContext, timestamp } from "../context.ts";
import { API_AUDIENCES, type Bound, composeClaims, type ObjectClaim } from "./claims.ts";
import { formatToken } from "./web-token.ts";

/** The facts about the kind that decoding and printing need. */
export const TOKEN_REQUEST = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  message: "authentication/v1.TokenRequest",
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }: KubeObject): Cell[] => [
    metadata.name ?? "",
    metadata.creationTimestamp ?? "",
  ],
} as const;

export const DEFAULT_TOKEN_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

/**
 * The lifetime that Kubernetes requests for tokens in pods. Tokens with it are valid for a year,
 * for old clients that never read the token file again.
 */
const EXTENDED_SECONDS = 3607;
const EXTENSION_SECONDS = 365 * 24 * 3600;

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the request with its status. The checks run in Kubernetes' order. */
export function requestToken(
  server: ServerContext,
  { namespace, name }: AccountName,
  request: Draft<TokenRequest>,
): TokenRequest {
  matchAccount(request, { namespace, name });
  const account = find(server, "serviceaccounts", { namespace, name });
  const { signer } = server;
  if (!signer) throw badRequest("this server has no key to sign tokens with");
  const { spec } = request;
  const audiences = spec.audiences?.length ? spec.audiences : API_AUDIENCES;
  const seconds = spec.expirationSeconds ?? DEFAULT_TOKEN_SECONDS;
  const findings = validateSeconds(seconds);
  if (findings.length > 0) throw invalidObject(TOKEN_REQUEST, "", findings);
  const bound = spec.boundObjectRef
    ? findBound(server, { namespace, name }, spec.boundObjectRef)
    : {};
  const nowSeconds = Math.floor(server.clock.nowMs() / 1000);
  const isExtended = bound.pod && seconds === EXTENDED_SECONDS && isForUs(audiences);
  const claims = composeClaims({
    namespace,
    account: claimOf(account),
    bound,
    audiences,
    lifeSeconds: isExtended ? EXTENSION_SECONDS : seconds,
    ...(isExtended ? { warnAfterSeconds: seconds } : {}),
    id: server.random.uuid(),
    nowSeconds,
  });
  return {
    ...request,
    metadata: { ...request.metadata, name, namespace, creationTimestamp: timestamp(server.clock) },
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: {
      token: formatToken(claims, signer),
      expirationTimestamp: `${new Date((nowSeconds + seconds) * 1000).toISOString().slice(0, 19)}Z`,
    },
  } as TokenRequest;
}

function isForUs(audiences: readonly string[]): boolean {
  return audiences.every((audience) => API_AUDIENCES.includes(audience));
}

function matchAccount({ metadata }: Draft<TokenRequest>, { namespace, name }: AccountName): void {
  const rule = (what: string) => `must match the service account ${what} if specified`;
  if (metadata.name !== undefined && metadata.name !== name) {
    const finding = invalid("metadata.name", metadata.name, rule("name"));
    throw invalidObject(TOKEN_REQUEST, name, [finding]);
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    const finding = invalid("metadata.namespace", metadata.namespace, rule("namespace"));
    throw invalidObject(TOKEN_REQUEST, name, [finding]);
  }
}

function find(server: ServerContext, resource: string, { namespace, name }: AccountName) {
  const found = server.store.get({ resource, namespace, name });
  if (!found) throw notFound({ group: "", resource }, name);
  return found;
}

function validateSeconds(seconds: number): Finding[] {
  const path = "spec.expirationSeconds";
  if (seconds < SHORTEST_SECONDS) {
    return [invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  if (seconds <= LONGEST_SECONDS) return [];
  return [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")];
}

function findBound(
  server: ServerContext,
  account: AccountName,
  reference: BoundObjectReference,
): Bound {
  const { kind = "", apiVersion = "", name = "" } = reference;
  if (apiVersion.includes("/") || !["Pod", "Node", "Secret"].includes(kind)) {
    throw badRequest(`cannot bind token to object of type ${formatKind(apiVersion, kind)}`);
  }
  const namespace = kind === "Node" ? "" : account.namespace;
  const object = find(server, `${kind.toLowerCase()}s`, { namespace, name });
  const node = kind === "Pod" ? nodeOf(server, object as Pod, account) : undefined;
  const { uid } = reference;
  if (uid !== undefined && uid !== "" && uid !== object.metadata.uid) {
    throw anotherObject(kind, name, uid);
  }
  const claim = claimOf(object);
  if (kind === "Pod") return { pod: claim, ...(node ? { node } : {}) };
  return kind === "Node" ? { node: claim } : { secret: claim };
}

/** The token of a pod also names its node. If the node does not exist, only the name is known. */
function nodeOf(
  server: ServerContext,
  { spec }: Pod,
  { name }: AccountName,
): ObjectClaim | undefined {
  if (name !== (spec.serviceAccountName ?? "")) {
    const account = JSON.stringify(name);
    const problem = "to pod running with different serviceaccount name.";
    throw badRequest(`cannot bind token for serviceaccount ${account} ${problem}`);
  }
  const { nodeName = "" } = spec;
  if (nodeName === "") return undefined;
  const node = server.store.get({ resource: "nodes", namespace: "", name: nodeName });
  return node ? claimOf(node) : { name: nodeName };
}

function anotherObject(kind: string, name: string, uid: string): ApiError {
  return conflict(
    { group: "", resource: kind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated",
  );
}

function claimOf({ metadata }: KubeObject): ObjectClaim {
  const { name = "", uid } = metadata;
  return { name, ...(uid === undefined ? {} : { uid }) };
}

/** The text of a group, version and kind as Go prints it. */
function formatKind(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}
