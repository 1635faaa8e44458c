import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const PODS = "/api/v1/namespaces/default/pods";
const image = "busybox:1.36";

function aPod(spec: object = {}) {
  const server = aServer();
  ask(server, "POST", PODS, podBody({ name: "p" }, { ...spec }));
  return server;
}

const several = {
  containers: [
    { name: "a", image },
    { name: "b", image },
  ],
  initContainers: [{ name: "i", image }],
};

test.each([
  [
    "several containers and none chosen",
    several,
    "log",
    400,
    "a container name must be specified for pod p, choose one of: [i a b]",
  ],
  ["an unknown container", several, "log?container=x", 400, "container x is not valid for pod p"],
  ["a pod without a node", {}, "exec", 400, "pod p does not have a host assigned"],
  [
    "a node without a connected agent",
    { nodeName: "n" },
    "log",
    503,
    'log of pod "p" is not available: no agent of node "n" is connected',
  ],
])("%s", (_, spec, what, status, message) => {
  expect(ask(aPod(spec), "GET", `${PODS}/p/${what}`)).toMatchObject({
    status,
    object: { message },
  });
});

test("the log of a pod without a node is empty", () => {
  expect(ask(aPod(), "GET", `${PODS}/p/log`)).toMatchObject({ status: 204 });
});

test("the log of a missing pod is answered with 404", () => {
  expect(ask(aServer(), "GET", `${PODS}/p/log`).status).toBe(404);
});
