import { expect, test } from "vitest";
import { aUser } from "../../../test/builders/guarded-server.ts";
import { composeAuditEvent } from "./audit.ts";

const outcome = {
  stage: "ResponseComplete",
  code: 403,
  isAllowed: false,
  reason: "",
  atMs: 1500,
} as const;
const request = {
  id: "an-id",
  uri: "/api/v1/namespaces/n/pods/p/log?follow=true",
  user: aUser("alice"),
  attributes: {
    kind: "resource",
    verb: "get",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "log",
    namespace: "n",
    name: "p",
  },
  sourceAddress: "127.0.0.1",
  userAgent: "kubectl",
  receivedMs: 1000,
} as const;

test("an event contains user, request, times and outcome", () => {
  expect(composeAuditEvent(request, outcome)).toEqual({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: "an-id",
    stage: "ResponseComplete",
    requestURI: request.uri,
    verb: "get",
    user: { username: "alice", groups: ["system:authenticated"] },
    sourceIPs: ["127.0.0.1"],
    userAgent: "kubectl",
    objectRef: {
      resource: "pods",
      namespace: "n",
      name: "p",
      apiVersion: "v1",
      subresource: "log",
    },
    responseStatus: { metadata: {}, status: "Failure", code: 403 },
    requestReceivedTimestamp: "1970-01-01T00:00:01.000000Z",
    stageTimestamp: "1970-01-01T00:00:01.500000Z",
    annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "" },
  });
});

test("an event names both the impersonator and the impersonated user", () => {
  const user = { ...aUser("bob"), impersonator: aUser("root", "system:masters") };
  expect(composeAuditEvent({ ...request, user }, outcome)).toMatchObject({
    user: { username: "root" },
    impersonatedUser: { username: "bob", groups: ["system:authenticated"] },
  });
});

test("a token in the query is omitted", () => {
  const uri = "/api/v1/pods?limit=1&access_token=secret&watch=1&token=secret";
  const { requestURI } = composeAuditEvent({ ...request, uri }, outcome);
  expect(requestURI).toBe("/api/v1/pods?limit=1&access_token=…&watch=1&token=…");
});
