import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Kind } from "../kind.ts";
import { answerReview, type Reviewer } from "./answer.ts";
import { isReview, reviewKinds } from "./kinds.ts";

const reviewer: Reviewer = {
  user: { username: "admin" },
  namespace: "default",
  authenticate: (token, audiences = ["api"]) => {
    if (token === "old") return { kind: "refused", problem: "service account token has expired" };
    const user = { username: "admin" };
    return token === "t" ? { kind: "user", user, audiences } : { kind: "refused" };
  },
  decide: ({ user }) => ({ allowed: user.username === "admin" }),
  rules: () => ({ rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }),
  now: "2024-01-01T00:00:00Z",
};

function getReview(name: string): Kind {
  const found = reviewKinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`no review ${name}`);
  return found;
}

function ask(name: string, spec: object): unknown {
  const kind = getReview(name);
  const review = { apiVersion: `${kind.group}/v1`, kind: name, metadata: {}, spec } as KubeObject;
  try {
    return (answerReview(kind, review, reviewer) as KubeObject & { status: unknown }).status;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const attributes = { verb: "get", resource: "pods" };

test.each([
  ["SelfSubjectReview", {}, { userInfo: { username: "admin" } }],
  ["SelfSubjectAccessReview", { resourceAttributes: attributes }, { allowed: true }],
  [
    "TokenReview",
    { token: "t" },
    { authenticated: true, user: { username: "admin" }, audiences: ["api"] },
  ],
  ["TokenReview", { token: "x" }, { user: {}, error: "invalid bearer token" }],
  ["TokenReview", {}, "400 token is required for TokenReview in authentication"],
  [
    "SelfSubjectAccessReview",
    {},
    '422 .authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: ' +
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
  ],
  [
    "SubjectAccessReview",
    { resourceAttributes: attributes },
    '422 .authorization.k8s.io "" is invalid: spec.user: Invalid value: "": ' +
      "at least one of user or group must be specified",
  ],
])("a %s of %j", (name, spec, expected) => {
  expect(ask(name, spec)).toEqual(expected);
});

test("a review is known by its kind", () => {
  expect(reviewKinds.every(isReview)).toBe(true);
  expect(isReview({ ...getReview("TokenReview"), kind: "Pod" })).toBe(false);
});
