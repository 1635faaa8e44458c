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
])("a %s of %j is answered", (name, spec, expected) => {
  expect(ask(name, spec)).toEqual(expected);
});

test("reviews are recognized by their kind", () => {
  expect(reviewKinds.every(isReview)).toBe(true);
  expect(isReview({ ...getReview("TokenReview"), kind: "Pod" })).toBe(false);
});

const SELECTORS = "spec.resourceAttributes";

test.each([
  [
    { fieldSelector: {} },
    `${SELECTORS}.fieldSelector.requirements: Required value: when ${SELECTORS}.fieldSelector is ` +
      "specified, requirements or rawSelector is required",
  ],
  [
    { labelSelector: { rawSelector: "a", requirements: [{ key: "a", operator: "Exists" }] } },
    `${SELECTORS}.labelSelector.rawSelector: Invalid value: "a": may not specified at the same ` +
      "time as requirements",
  ],
  [
    { labelSelector: { requirements: [{ key: "a", operator: "In" }] } },
    `${SELECTORS}.labelSelector.requirements[0].values: Required value: must be specified when ` +
      "`operator` is 'In' or 'NotIn'",
  ],
  [
    { fieldSelector: { requirements: [{ key: "", operator: "Exists", values: ["x"] }] } },
    `[${SELECTORS}.fieldSelector.requirements[0].key: Required value: must be specified, ` +
      `${SELECTORS}.fieldSelector.requirements[0].values: Forbidden: may not be specified when ` +
      "`operator` is 'Exists' or 'DoesNotExist']",
  ],
])("the selectors %j are rejected", (selectors, problem) => {
  const answer = ask("SelfSubjectAccessReview", {
    resourceAttributes: { ...attributes, ...selectors },
  });
  expect(answer).toBe(`422 .authorization.k8s.io "" is invalid: ${problem}`);
});

test.each([
  [{ labelSelector: { rawSelector: "a in (b)" } }, undefined],
  [
    { fieldSelector: { rawSelector: "a in (b)" } },
    `${SELECTORS}.fieldSelector ignored due to parse error`,
  ],
  [
    {
      fieldSelector: {
        requirements: [
          { key: "a", operator: "In", values: ["x"] },
          { key: "b", operator: "Exists" },
        ],
      },
      labelSelector: { requirements: [{ key: "a", operator: "Like" }] },
    },
    `[${SELECTORS}.fieldSelector partially ignored due to parse error, ` +
      `${SELECTORS}.labelSelector ignored due to parse error]`,
  ],
])("unparsable parts of %j are reported as ignored", (selectors, evaluationError) => {
  const answer = ask("SelfSubjectAccessReview", {
    resourceAttributes: { ...attributes, ...selectors },
  });
  expect(answer).toEqual({ allowed: true, ...(evaluationError ? { evaluationError } : {}) });
});

test("a review must not have a name, and the sent status of a TokenReview is kept", () => {
  const review = (name: string, fields: object) =>
    answerReview(getReview(name), fields as KubeObject, reviewer);
  const spec = { resourceAttributes: attributes };
  expect(() => review("SelfSubjectAccessReview", { metadata: { name: "a" }, spec })).toThrow(
    'metadata: Invalid value: {"name":"a"}: must be empty',
  );
  const status = { authenticated: true, user: { username: "b" }, audiences: ["c"] };
  expect(review("TokenReview", { metadata: {}, spec: { token: "x" }, status })).toMatchObject({
    status: { user: { username: "b" }, audiences: ["c"], error: "invalid bearer token" },
  });
});
