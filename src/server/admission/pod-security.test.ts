import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { ApiServer } from "../http/request.ts";

const PODS = "/api/v1/namespaces/guarded/pods";
const LABEL = "pod-security.kubernetes.io/";

function guarded(labels: { readonly [name: string]: string }): ApiServer {
  const server = aServer();
  const prefixed = Object.entries(labels).map(([name, value]) => [`${LABEL}${name}`, value]);
  const metadata = { name: "guarded", labels: Object.fromEntries(prefixed) };
  expect(ask(server, "POST", "/api/v1/namespaces", { metadata }).status).toBe(201);
  return server;
}

function pod(name: string, spec: object): object {
  return { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
}

test("a pod that violates the enforced level is rejected", () => {
  const server = guarded({ enforce: "baseline" });
  const refused = ask(server, "POST", PODS, pod("p", { hostPID: true }));
  expect(refused.object).toMatchObject({
    code: 403,
    reason: "Forbidden",
    message:
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": ' +
      "host namespaces (hostPID=true)",
  });
  expect(ask(server, "POST", PODS, pod("p", {})).status).toBe(201);
});

test("a namespace without labels permits everything", () => {
  const server = guarded({});
  expect(ask(server, "POST", PODS, pod("p", { hostPID: true }))).toMatchObject({
    status: 201,
    warnings: [],
  });
});

test("a template that violates the level is stored with a warning", () => {
  const server = guarded({ enforce: "baseline" });
  const template = {
    spec: { hostIPC: true, restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const jobs = "/apis/batch/v1/namespaces/guarded/jobs";
  const made = ask(server, "POST", jobs, { metadata: { name: "j" }, spec: { template } });
  expect(made).toMatchObject({
    status: 201,
    warnings: ['would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)'],
  });
});

test("an ephemeral container is checked with its pod", () => {
  const server = guarded({ enforce: "baseline" });
  ask(server, "POST", PODS, pod("p", {}));
  const securityContext = { capabilities: { add: ["SYS_ADMIN"] } };
  const spec = { ephemeralContainers: [{ name: "d", image: "i", securityContext }] };
  const contentType = "application/strategic-merge-patch+json";
  const path = `${PODS}/p/ephemeralcontainers`;
  const refused = ask(server, "PATCH", path, { spec }, { contentType });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("non-default capabilities");
});

test("invalid Pod Security labels of a namespace are rejected", () => {
  const metadata = { name: "n", labels: { [`${LABEL}enforce`]: "none" } };
  const refused = ask(aServer(), "POST", "/api/v1/namespaces", { metadata });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("must be one of privileged, baseline, restricted");
});

test("tightening a namespace warns about its existing pods", () => {
  const server = guarded({});
  ask(server, "POST", PODS, pod("b", { hostPID: true }));
  ask(server, "POST", PODS, pod("a", { hostPID: true }));
  const contentType = "application/merge-patch+json";
  const body = { metadata: { labels: { [`${LABEL}enforce`]: "baseline" } } };
  const changed = ask(server, "PATCH", "/api/v1/namespaces/guarded", body, { contentType });
  expect(changed).toMatchObject({
    status: 200,
    warnings: [
      'existing pods in namespace "guarded" violate the new PodSecurity enforce level ' +
        '"baseline:latest"',
      "a (and 1 other pod): host namespaces",
    ],
  });
});
