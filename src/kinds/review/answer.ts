/** Pure: the answers to reviews. Whoever is known here may do everything. */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { TokenReview, UserInfo } from "../../api/generated/authentication.ts";
import type { SubjectAccessReview } from "../../api/generated/authorization.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Kind } from "../kind.ts";

export interface Reviewer {
  /** Who asks. */
  readonly user: UserInfo;
  readonly findUser: (token: string) => UserInfo | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** The review with its status filled in; throws an ApiError where it asks nothing sensible. */
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
      // The namespace is asked for and not answered with.
      return withStatus({ ...review, spec: {} } as KubeObject, EVERYTHING);
    default:
      refuse(kind, validateAccess(kind, review as SubjectAccessReview));
      return withStatus(review, { allowed: true });
  }
}

const EVERYTHING = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

function withStatus(review: KubeObject, status: object): KubeObject {
  return { ...review, status } as KubeObject;
}

function authenticate({ spec }: TokenReview, { findUser }: Reviewer): TokenReview["status"] {
  const { token = "", audiences } = spec;
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const user = findUser(token);
  if (user === undefined) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user, ...(audiences === undefined ? {} : { audiences }) };
}

function validateAccess(kind: Kind, { spec }: SubjectAccessReview): Finding[] {
  const { resourceAttributes, nonResourceAttributes, user = "", groups = [] } = spec;
  const findings: Finding[] = [];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const { path = "", verb = "" } = nonResourceAttributes;
    const detail = "cannot be specified in combination with resourceAttributes";
    findings.push(invalid("spec.nonResourceAttributes", { Path: path, Verb: verb }, detail));
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    findings.push(invalid("spec.resourceAttributes", null, detail));
  }
  const isAboutOthers = !kind.kind.startsWith("Self");
  if (isAboutOthers && user === "" && groups.length === 0) {
    const detail = "at least one of user or group must be specified";
    findings.push(invalid("spec.user", user, detail));
  }
  return findings;
}

/** The error names neither kind nor object, as the one of Kubernetes. */
function refuse({ group }: Kind, findings: readonly Finding[]): void {
  if (findings.length > 0) throw invalidObject({ group, kind: "" }, "", findings);
}
