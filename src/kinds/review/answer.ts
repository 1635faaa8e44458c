/** Pure: answers reviews. The reviewer provides authentication and authorization. */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { TokenReview, UserInfo } from "../../api/generated/authentication.ts";
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewStatus,
} from "../../api/generated/authorization.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import type { PolicyRule } from "../../api/generated/rbac.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Kind } from "../kind.ts";
import { ignoredSelectors, validateSelectors } from "./selectors.ts";

export interface Reviewer {
  /** The user who asks. */
  readonly user: UserInfo;
  /** In RFC 3339. */
  readonly now: string;
  /** The namespace of the request; "" if it has none. */
  readonly namespace: string;
  readonly authenticate: (token: string, audiences: readonly string[] | undefined) => Verdict;
  readonly decide: (asked: AskedAccess) => SubjectAccessReviewStatus;
  readonly rules: (namespace: string) => {
    readonly rules: readonly PolicyRule[];
    readonly problem?: string;
  };
}

export type Verdict =
  | { readonly kind: "user"; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly kind: "refused"; readonly problem?: string };

/** Exactly one of `resource` and `path` is set. */
export interface AskedAccess {
  readonly user: UserInfo;
  readonly resource?: ResourceAttributes;
  readonly path?: NonResourceAttributes;
}

/** Returns the review with its status. Throws an ApiError if the review is invalid. */
export function answerReview(kind: Kind, review: KubeObject, reviewer: Reviewer): KubeObject {
  switch (kind.kind) {
    case "SelfSubjectReview":
      return withStatus(
        { ...review, metadata: { creationTimestamp: reviewer.now } },
        { userInfo: reviewer.user },
      );
    case "TokenReview":
      return withStatus(review, authenticate(review as TokenReview, reviewer));
    case "SelfSubjectRulesReview":
      // The requested namespace is not part of the answer.
      return withStatus(
        { ...review, metadata: {}, spec: {} } as KubeObject,
        rulesStatus(review as SelfSubjectRulesReview, reviewer),
      );
    default:
      refuse(kind, validateAccess(kind, review as SubjectAccessReview, reviewer.namespace));
      return withStatus(review, decision(asked(kind, review, reviewer), reviewer));
  }
}

function decision(access: AskedAccess, { decide }: Reviewer): SubjectAccessReviewStatus {
  const decided = decide(access);
  const ignored = access.resource ? ignoredSelectors(access.resource) : [];
  if (ignored.length === 0) return decided;
  const problems = decided.evaluationError ? [decided.evaluationError, ...ignored] : ignored;
  const text = problems.join(", ");
  const evaluationError = problems.length === 1 ? text : `[${text}]`;
  return { ...decided, evaluationError };
}

function withStatus(review: KubeObject, status: object): KubeObject {
  return { ...review, status } as KubeObject;
}

/** The status that was sent is kept unless the answer replaces it. */
function authenticate({ spec, status }: TokenReview, reviewer: Reviewer): TokenReview["status"] {
  const { token = "", audiences } = spec;
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const verdict = reviewer.authenticate(token, audiences?.length ? audiences : undefined);
  if (verdict.kind === "refused") {
    const { problem } = verdict;
    const error = problem === undefined ? REFUSED : `[${REFUSED}, ${problem}]`;
    const { authenticated: _sent, ...others } = status ?? {};
    return { ...others, user: others.user ?? {}, error };
  }
  const { user, audiences: known } = verdict;
  return { ...status, authenticated: true, user, audiences: known };
}

const REFUSED = "invalid bearer token";

function rulesStatus({ spec }: SelfSubjectRulesReview, { rules }: Reviewer): object {
  const { namespace = "" } = spec;
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules: granted, problem } = rules(namespace);
  return {
    resourceRules: granted
      .filter((rule) => rule.resources?.length)
      .map(({ nonResourceURLs: _none, ...rule }) => rule),
    nonResourceRules: granted
      .filter((rule) => rule.nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: problem !== undefined,
    ...(problem === undefined ? {} : { evaluationError: problem }),
  };
}

function asked(kind: Kind, review: KubeObject, { user }: Reviewer): AskedAccess {
  const { spec } = review as SubjectAccessReview;
  const { resourceAttributes, nonResourceAttributes } = spec;
  const { user: username, groups, uid, extra } = spec;
  const other = {
    ...(username === undefined ? {} : { username }),
    ...(groups === undefined ? {} : { groups }),
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  return {
    user: isAboutOthers(kind) ? other : user,
    ...(resourceAttributes ? { resource: resourceAttributes } : {}),
    ...(nonResourceAttributes ? { path: nonResourceAttributes } : {}),
  };
}

function isAboutOthers({ kind }: Kind): boolean {
  return !kind.startsWith("Self");
}

function validateAccess(kind: Kind, review: SubjectAccessReview, namespace: string): Finding[] {
  const { spec, metadata } = review;
  const { resourceAttributes, nonResourceAttributes, user = "", groups = [] } = spec;
  const findings: Finding[] = [];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    findings.push(invalid("spec.nonResourceAttributes", shown(nonResourceAttributes), detail));
  }
  if (resourceAttributes) findings.push(...validateSelectors(resourceAttributes));
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    findings.push(invalid("spec.resourceAttributes", null, detail));
  }
  if (isAboutOthers(kind) && user === "" && groups.length === 0) {
    const detail = "at least one of user or group must be specified";
    findings.push(invalid("spec.user", user, detail));
  }
  findings.push(...validateNameless(metadata, kind.namespaced));
  if (!kind.namespaced) return findings;
  return [...findings, ...validateLocal(spec, namespace)];
}

/** A review is not stored, so it cannot have a name. */
function validateNameless(metadata: ObjectMeta, namespaced: boolean): Finding[] {
  const { managedFields: _tracked, namespace: _given, ...others } = metadata;
  if (Object.keys(others).length === 0) return [];
  const problem = namespaced ? "must be empty except for namespace" : "must be empty";
  return [invalid("metadata", metadata, problem)];
}

function validateLocal(spec: SubjectAccessReview["spec"], namespace: string): Finding[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const findings: Finding[] = [];
  if (resourceAttributes && (resourceAttributes.namespace ?? "") !== namespace) {
    const path = "spec.resourceAttributes.namespace";
    const given = resourceAttributes.namespace ?? "";
    findings.push(invalid(path, given, "must match metadata.namespace"));
  }
  if (nonResourceAttributes) {
    const detail = "disallowed on this kind of request";
    findings.push(invalid("spec.nonResourceAttributes", shown(nonResourceAttributes), detail));
  }
  return findings;
}

/** The format in which Kubernetes prints its internal type. */
function shown({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

/** Like that of Kubernetes, the error names neither the kind nor the object. */
function refuse({ group }: Kind, findings: readonly Finding[]): void {
  if (findings.length > 0) throw invalidObject({ group, kind: "" }, "", findings);
}
