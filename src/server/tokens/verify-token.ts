/**
 * Authenticates a token. Its signature is verified once. Whether it has expired, and whether its
 * account and bound object still exist, is checked each time.
 */
import type { KubeObject } from "../../api/object.ts";
import type { User } from "../authorization/user.ts";
import type { ServerContext } from "../context.ts";
import { API_AUDIENCES, type Claims, ISSUER, userOf } from "./claims.ts";
import { parseToken, type TokenSigner } from "./web-token.ts";

export type TokenVerdict =
  | { readonly kind: "user"; readonly user: User; readonly audiences: readonly string[] }
  /** Not issued here, or no longer valid; `problem` is reported in a TokenReview. */
  | { readonly kind: "refused"; readonly problem?: string };

export interface TokenVerifier {
  /** The token must be for one of these audiences; by default for this server. */
  verify(token: string, audiences?: readonly string[]): TokenVerdict;
}

/** Adds one more token, which belongs to no account and is valid for any audience. */
export function withSecret(
  accounts: TokenVerifier,
  isSecret: (token: string) => boolean,
  user: User,
): TokenVerifier {
  return {
    verify: (token, audiences = API_AUDIENCES) =>
      isSecret(token) ? { kind: "user", user, audiences } : accounts.verify(token, audiences),
  };
}

/** How many tokens with a verified signature are remembered. */
const REMEMBERED_TOKENS = 1000;

/** Kubernetes allows this clock skew for every time in a token. */
const LEEWAY_MS = 60_000;

export function tokenVerifier(
  server: Pick<ServerContext, "store" | "clock" | "signer">,
): TokenVerifier {
  const genuine = new Map<string, Claims>();
  const claimsOf = (token: string): Claims | "foreign" | "forged" => {
    const known = genuine.get(token);
    if (known) return known;
    const parsed = parseToken(token, ISSUER);
    if (!parsed || !server.signer) return "foreign";
    const { claims, signed, signature, algorithm } = parsed;
    if (algorithm !== "ES256" || !isGenuine(server.signer, signed, signature)) return "forged";
    if (!isWhole(claims)) return "forged";
    if (genuine.size >= REMEMBERED_TOKENS) genuine.clear();
    genuine.set(token, claims);
    return claims;
  };
  return {
    verify: (token, audiences = API_AUDIENCES) => {
      const claims = claimsOf(token);
      if (claims === "foreign") return { kind: "refused" };
      if (claims === "forged") return { kind: "refused", problem: FORGED };
      const shared = audiences.filter((audience) => claims.aud.includes(audience));
      const problem =
        shared.length === 0 ? audienceProblem(claims, audiences) : judge(server, claims);
      if (problem !== undefined) return { kind: "refused", problem };
      return { kind: "user", user: userOf(claims), audiences: shared };
    },
  };
}

const FORGED = "go-jose/go-jose: error in cryptographic primitive";

function isGenuine(signer: TokenSigner, signed: string, signature: Buffer): boolean {
  return signature.length === 64 && signer.verify(signed, signature);
}

/** A token without audience, expiry or account is invalid; it must never be valid for everybody. */
function isWhole(claims: Partial<Claims>): boolean {
  const { aud, exp, nbf, "kubernetes.io": account } = claims;
  const hasTimes = Number.isFinite(exp) && Number.isFinite(nbf);
  const isNamed = [account?.namespace, account?.serviceaccount?.name].every(
    (name) => typeof name === "string" && name !== "",
  );
  return Array.isArray(aud) && hasTimes && isNamed && account?.serviceaccount?.uid !== undefined;
}

function audienceProblem({ aud }: Claims, audiences: readonly string[]): string {
  const list = (texts: readonly string[]) =>
    `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
  return `token audiences ${list(aud)} is invalid for the target audiences ${list(audiences)}`;
}

const INVALIDATED = "service account token has been invalidated";

function judge(server: Pick<ServerContext, "store" | "clock">, claims: Claims): string | undefined {
  const nowMs = server.clock.nowMs();
  if (nowMs > claims.exp * 1000 + LEEWAY_MS) return "service account token has expired";
  if (nowMs < claims.nbf * 1000 - LEEWAY_MS) return "service account token is not valid yet";
  const { namespace, serviceaccount, secret, pod, node } = claims["kubernetes.io"];
  const bound = [
    { resource: "serviceaccounts", namespace, claim: serviceaccount },
    { resource: "secrets", namespace, claim: secret },
    { resource: "pods", namespace, claim: pod },
    // The node of a pod is only informative. A token that is bound to a node has no pod.
    { resource: "nodes", namespace: "", claim: pod ? undefined : node },
  ];
  for (const { resource, namespace: where, claim } of bound) {
    if (!claim) continue;
    const object = server.store.get({ resource, namespace: where, name: claim.name });
    if (!object || object.metadata.uid !== claim.uid) return INVALIDATED;
    if (isDeletedSince(object, nowMs)) return INVALIDATED;
  }
  return undefined;
}

/** An object that is being deleted keeps its token until shortly after the grace period. */
function isDeletedSince({ metadata }: KubeObject, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return false;
  return Date.parse(deletionTimestamp) + LEEWAY_MS < nowMs;
}
