import { expect, test } from "vitest";
import { serverWith } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { ALLOWED_RUNTIMES } from "../../api/shared-runtimes.ts";
import type { ApiServer } from "../http/request.ts";
import { podSecurityOptions } from "./pod-security-options.ts";

async function aSharedServer(allowedRuntimes: readonly string[]): Promise<ApiServer> {
  const podSecurity = await podSecurityOptions({ isShared: true });
  const server = serverWith({ podSecurity, sharing: { allowedRuntimes } });
  const labels = { "pod-security.kubernetes.io/enforce": "privileged" };
  const metadata = { name: "loose", labels };
  expect(ask(server, "POST", "/api/v1/namespaces", { metadata }).status).toBe(201);
  return server;
}

function create(server: ApiServer, namespace: string, spec: object) {
  const body = {
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  };
  return ask(server, "POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body);
}

test("on a shared server a host process counts as privileged", async () => {
  const server = await aSharedServer(["sandbox", "process"]);
  const process = { runtimeClassName: "process" };
  expect(create(server, "default", process).object).toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": ' +
      "host process (pod must not set runtimeClassName=process)",
  });
  expect(create(server, "loose", process).status).toBe(201);
  expect(create(server, "default", { runtimeClassName: "sandbox" }).status).toBe(201);
});

test("a runtime that is not allowed is rejected in every namespace", async () => {
  const server = await aSharedServer(["sandbox", "engine"]);
  expect(create(server, "loose", { runtimeClassName: "process" }).object).toMatchObject({
    code: 403,
    message:
      'pods "p" is forbidden: runtimeClassName "process" is not allowed ' +
      "(allowed on this server: sandbox, engine)",
  });
  expect(create(server, "loose", { runtimeClassName: "podman" }).status).toBe(201);
});

test("a template with a runtime that is not allowed gets a warning", async () => {
  const server = await aSharedServer(["sandbox"]);
  const spec = { runtimeClassName: "docker", restartPolicy: "Never" };
  const template = { spec: { ...spec, containers: [{ name: "c", image: "i" }] } };
  const body = { metadata: { name: "j" }, spec: { template } };
  expect(ask(server, "POST", "/apis/batch/v1/namespaces/loose/jobs", body)).toMatchObject({
    status: 201,
    warnings: [
      'pods will be rejected: runtimeClassName "docker" is not allowed ' +
        "(allowed on this server: sandbox)",
    ],
  });
});

test("every Node lists the allowed runtimes, whatever clients write", async () => {
  const server = await aSharedServer(["sandbox", "engine"]);
  const annotations = { [ALLOWED_RUNTIMES]: "process", other: "kept" };
  const expected = { [ALLOWED_RUNTIMES]: "sandbox,engine", other: "kept" };
  const body = { metadata: { name: "n", annotations } };
  const contentType = "application/merge-patch+json";
  const made = ask(server, "POST", "/api/v1/nodes", body);
  const change = { metadata: { annotations: { [ALLOWED_RUNTIMES]: null } } };
  const changed = ask(server, "PATCH", "/api/v1/nodes/n", change, { contentType });
  const reported = ask(server, "PATCH", "/api/v1/nodes/n/status", change, { contentType });
  for (const { object } of [made, changed, reported]) {
    expect(object.metadata.annotations).toEqual(expected);
  }
});

test("on a server that is not shared, Nodes restrict no runtimes", () => {
  const annotations = { [ALLOWED_RUNTIMES]: "sandbox", other: "kept" };
  const body = { metadata: { name: "n", annotations } };
  const { object } = ask(serverWith({}), "POST", "/api/v1/nodes", body);
  expect(object.metadata.annotations).toEqual({ other: "kept" });
});
