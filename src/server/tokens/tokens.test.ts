import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { TokenRequest } from "../../api/generated/authentication.ts";
import { localClient } from "../../client/local.ts";
import { ISSUER } from "./claims.ts";
import { parseToken } from "./web-token.ts";

const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const TOKEN = `${ACCOUNTS}/builder/token`;

function serverWithAccount(): TestServer {
  const server = aServer();
  ask(server, "POST", ACCOUNTS, { metadata: { name: "builder" } });
  return server;
}

function addPod(server: TestServer, name: string, spec: object = {}): string {
  const body = podBody({ name }, { serviceAccountName: "builder", ...spec });
  return ask(server, "POST", "/api/v1/namespaces/default/pods", body).object.metadata.uid ?? "";
}

function request(server: TestServer, spec: object = {}, metadata: object = {}): TokenRequest {
  const told = ask(server, "POST", TOKEN, { metadata, spec });
  if (told.status !== 201) throw new Error(told.text);
  return told.object as TokenRequest;
}

function claimsOf(token: string) {
  return parseToken(token, ISSUER)?.claims;
}

test("a token names its account, audiences and expiry", () => {
  const server = serverWithAccount();
  const nowSeconds = server.clock.nowMs() / 1000;
  const { uid } = ask(server, "GET", `${ACCOUNTS}/builder`).object.metadata;
  const { metadata, spec, status } = request(server);
  expect({ name: metadata.name, namespace: metadata.namespace, spec }).toEqual({
    name: "builder",
    namespace: "default",
    spec: { audiences: [ISSUER], boundObjectRef: null, expirationSeconds: 3600 },
  });
  expect(Date.parse(status.expirationTimestamp ?? "")).toBe((nowSeconds + 3600) * 1000);
  expect(claimsOf(status.token)).toEqual({
    aud: [ISSUER],
    exp: nowSeconds + 3600,
    iat: nowSeconds,
    iss: ISSUER,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "builder", uid } },
    nbf: nowSeconds,
    sub: "system:serviceaccount:default:builder",
  });
});

test("the user of a token has the groups of its account and the bound object", () => {
  const server = serverWithAccount();
  const uid = addPod(server, "p", { nodeName: "gone" });
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid };
  const { token } = request(server, { boundObjectRef }).status;
  const verdict = server.tokens.verify(token);
  expect(verdict).toMatchObject({
    kind: "user",
    audiences: [ISSUER],
    user: {
      name: "system:serviceaccount:default:builder",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: {
        "authentication.kubernetes.io/node-name": ["gone"],
        "authentication.kubernetes.io/pod-name": ["p"],
        "authentication.kubernetes.io/pod-uid": [uid],
      },
    },
  });
});

test("a client inside the process gets the same token", async () => {
  const server = serverWithAccount();
  const account = { namespace: "default", name: "builder" };
  const issued = await localClient(server).requestToken(account, { expirationSeconds: 600 });
  expect(server.tokens.verify(issued.token).kind).toBe("user");
  expect(Date.parse(issued.expirationTimestamp)).toBe(server.clock.nowMs() + 600_000);
});

test("a pod token requested for 3607 s is valid for a year and has warnafter", () => {
  const server = serverWithAccount();
  addPod(server, "p");
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
  const { status } = request(server, { boundObjectRef, expirationSeconds: 3607 });
  const nowSeconds = server.clock.nowMs() / 1000;
  expect(claimsOf(status.token)).toMatchObject({
    exp: nowSeconds + 365 * 24 * 3600,
    "kubernetes.io": { warnafter: nowSeconds + 3607 },
  });
  expect(Date.parse(status.expirationTimestamp ?? "")).toBe((nowSeconds + 3607) * 1000);
});

const INVALID = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds:';

test.each([
  [
    { expirationSeconds: 599 },
    `${INVALID} Invalid value: 599: may not specify a duration less than 10 minutes`,
  ],
  [
    { expirationSeconds: 2 ** 32 + 1 },
    `${INVALID} Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds`,
  ],
  [{ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } }, 'pods "none" not found'],
  [
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "other" } },
    'cannot bind token for serviceaccount "builder" to pod running with different serviceaccount name.',
  ],
  [
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "x" } },
    'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (x) does ' +
      "not match the UID in record. The object might have been deleted and then recreated",
  ],
  [
    { boundObjectRef: { kind: "Job", apiVersion: "batch/v1", name: "j" } },
    "cannot bind token to object of type batch/v1, Kind=Job",
  ],
])("a request of %j is rejected", (spec, message) => {
  const server = serverWithAccount();
  addPod(server, "p");
  addPod(server, "other", { serviceAccountName: "default" });
  expect(ask(server, "POST", TOKEN, { spec }).object).toMatchObject({ message });
});

test("a request for another or a missing account is rejected", () => {
  const server = serverWithAccount();
  expect(ask(server, "POST", TOKEN, { metadata: { name: "x" }, spec: {} }).object).toMatchObject({
    message:
      'TokenRequest.authentication.k8s.io "builder" is invalid: metadata.name: Invalid value: ' +
      '"x": must match the service account name if specified',
  });
  expect(ask(server, "POST", `${ACCOUNTS}/none/token`, { spec: {} }).object).toMatchObject({
    message: 'serviceaccounts "none" not found',
  });
});

const INVALIDATED = "service account token has been invalidated";

test.each([
  [
    "it has expired",
    (server: TestServer) => server.clock.advance(601_000 + 60_000),
    "service account token has expired",
  ],
  [
    "the account is deleted",
    (server: TestServer) => ask(server, "DELETE", `${ACCOUNTS}/builder`),
    INVALIDATED,
  ],
  [
    "the account was deleted and created again",
    (server: TestServer) => {
      ask(server, "DELETE", `${ACCOUNTS}/builder`);
      ask(server, "POST", ACCOUNTS, { metadata: { name: "builder" } });
    },
    INVALIDATED,
  ],
  [
    "the pod is deleted",
    (server: TestServer) =>
      ask(server, "DELETE", "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0"),
    INVALIDATED,
  ],
])("a token is rejected when %s", (_when, happen, problem) => {
  const server = serverWithAccount();
  addPod(server, "p");
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
  const { token } = request(server, { boundObjectRef, expirationSeconds: 600 }).status;
  expect(server.tokens.verify(token).kind).toBe("user");
  happen(server);
  expect(server.tokens.verify(token)).toEqual({ kind: "refused", problem });
});

test("a token for other audiences is rejected, except in a TokenReview for them", () => {
  const server = serverWithAccount();
  const { token } = request(server, { audiences: ["vault", "x"] }).status;
  expect(server.tokens.verify(token)).toEqual({
    kind: "refused",
    problem: `token audiences ["vault" "x"] is invalid for the target audiences ["${ISSUER}"]`,
  });
  expect(review(server, { token, audiences: ["vault", "y"] })).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:default:builder" },
    audiences: ["vault"],
  });
});

function review(server: TestServer, spec: object): unknown {
  const path = "/apis/authentication.k8s.io/v1/tokenreviews";
  return (ask(server, "POST", path, { spec }).object as { status?: unknown }).status;
}

test("only tokens signed by this server are accepted", () => {
  const server = serverWithAccount();
  const { token } = request(server).status;
  const [header = "", claims = "", signature = ""] = token.split(".");
  const altered = Buffer.from(claims, "base64url").toString().replaceAll("builder", "default");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const forged = [
    `${header}.${Buffer.from(altered).toString("base64url")}.${signature}`,
    `${none}.${claims}.${signature}`,
    request(serverWithAccount()).status.token,
  ];
  for (const each of forged) {
    expect(review(server, { token: each })).toEqual({
      user: {},
      error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
    });
  }
  for (const each of ["x", `${none}.${claims}.`, `${header}..${signature}`, "a.b.c", "..", ""]) {
    expect(server.tokens.verify(each)).toEqual({ kind: "refused" });
  }
});

test("the server publishes the key that signs tokens", () => {
  const server = serverWithAccount();
  expect(JSON.parse(ask(server, "GET", "/openid/v1/jwks").text).keys).toEqual([
    expect.objectContaining({ kty: "EC", alg: "ES256", use: "sig", crv: "P-256" }),
  ]);
  expect(JSON.parse(ask(server, "GET", "/.well-known/openid-configuration").text)).toMatchObject({
    issuer: ISSUER,
    jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
  });
});
