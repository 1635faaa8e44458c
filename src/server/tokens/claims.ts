/**
 * Pure: the claims of a ServiceAccount token: its account, audiences and expiry, and the object
 * that it is bound to.
 */
import { AUTHENTICATED, type User } from "../authorization/user.ts";

/** Kubernetes' defaults for the issuer and for the audiences. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";
export const API_AUDIENCES: readonly string[] = [ISSUER];

export interface ObjectClaim {
  readonly name: string;
  readonly uid?: string;
}

/** The fields are in the order in which Kubernetes writes them. */
export interface Claims {
  readonly aud: readonly string[];
  /** In seconds since 1970, like all times here. */
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly node?: ObjectClaim;
    readonly pod?: ObjectClaim;
    readonly secret?: ObjectClaim;
    readonly serviceaccount: ObjectClaim;
    readonly warnafter?: number;
  };
  readonly nbf: number;
  readonly sub: string;
}

export interface Bound {
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

export interface ClaimRequest {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly bound: Bound;
  readonly audiences: readonly string[];
  readonly lifeSeconds: number;
  readonly warnAfterSeconds?: number;
  readonly id: string;
  readonly nowSeconds: number;
}

export function composeClaims(request: ClaimRequest): Claims {
  const { namespace, account, bound, audiences, warnAfterSeconds, id, nowSeconds } = request;
  return {
    aud: audiences,
    exp: nowSeconds + request.lifeSeconds,
    iat: nowSeconds,
    iss: ISSUER,
    jti: id,
    "kubernetes.io": {
      namespace,
      ...(bound.node ? { node: bound.node } : {}),
      ...(bound.pod ? { pod: bound.pod } : {}),
      ...(bound.secret ? { secret: bound.secret } : {}),
      serviceaccount: account,
      ...(warnAfterSeconds === undefined ? {} : { warnafter: nowSeconds + warnAfterSeconds }),
    },
    nbf: nowSeconds,
    sub: accountUserName(namespace, account.name),
  };
}

export function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

const EXTRA = "authentication.kubernetes.io";

/** The account as a user, including the object that its token is bound to. */
export function userOf(claims: Claims): User {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  return {
    name: accountUserName(namespace, serviceaccount.name),
    ...(serviceaccount.uid === undefined ? {} : { uid: serviceaccount.uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    extra: {
      [`${EXTRA}/credential-id`]: [`JTI=${claims.jti}`],
      ...extraOf("node", node),
      ...extraOf("pod", pod),
    },
  };
}

function extraOf(what: string, claim: ObjectClaim | undefined): User["extra"] {
  if (!claim) return {};
  return {
    [`${EXTRA}/${what}-name`]: [claim.name],
    ...(claim.uid === undefined ? {} : { [`${EXTRA}/${what}-uid`]: [claim.uid] }),
  };
}
