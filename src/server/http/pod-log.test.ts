import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask, askStream } from "../../../test/support/ask.ts";
import { badRequest } from "../../api/errors.ts";
import type { LogRequest, LogSource } from "../../api/log-source.ts";
import type { ApiServer } from "./request.ts";

const PODS = "/api/v1/namespaces/default/pods";
const image = "busybox:1.36";

/** Returns its own arguments. */
const echo: LogSource = {
  open: async (pod, request) => pieces(`${pod.metadata.name} ${JSON.stringify(request)}`),
};

async function* pieces(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function withPod(spec: object, logs: LogSource = echo): ApiServer {
  const server: ApiServer = { ...aServer(), logs };
  ask(server, "POST", PODS, podBody({ name: "p" }, { nodeName: "n", ...spec }));
  return server;
}

test("the log of a pod is text from the source of its node", async () => {
  const server = withPod({ containers: [{ name: "a", image }] });
  const { contentType, text } = await askStream(server, `${PODS}/p/log?tailLines=3`);
  const asked: LogRequest = {
    container: "a",
    follow: false,
    previous: false,
    timestamps: false,
    tailLines: 3,
  };
  expect([contentType, text]).toEqual(["text/plain", `p ${JSON.stringify(asked)}`]);
});

test("without a container name, the log of the only app container is returned", async () => {
  const spec = { containers: [{ name: "a", image }], initContainers: [{ name: "i", image }] };
  const server = withPod(spec);
  expect((await askStream(server, `${PODS}/p/log`)).text).toContain('"container":"a"');
  expect((await askStream(server, `${PODS}/p/log?container=i`)).text).toContain('"container":"i"');
});

test("an error of the source is returned", async () => {
  const refusing: LogSource = { open: async () => Promise.reject(badRequest("not yet")) };
  await expect(askStream(withPod({}, refusing), `${PODS}/p/log`)).rejects.toThrow("not yet");
});

test("options are validated before the pod is looked up", () => {
  const server: ApiServer = { ...aServer(), logs: echo };
  expect(ask(server, "GET", `${PODS}/none/log?tailLines=-1`).status).toBe(422);
  expect(ask(server, "GET", `${PODS}/none/log`).status).toBe(404);
});
