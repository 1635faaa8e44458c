/** Streams are recorded in the audit log like every other request. */
import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { poll } from "../../../test/support/poll.ts";
import type { AuditEvent } from "./audit.ts";
import { type Listener, listen } from "./listen.ts";
import type { ApiServer } from "./request.ts";

const PODS = "/api/v1/namespaces/default/pods";

let listener: Listener | undefined;
afterEach(() => listener?.close());

/** The stage and the response status of each event. */
async function auditExec(pod: string): Promise<readonly unknown[]> {
  const noted: AuditEvent[] = [];
  const plain = aServer();
  ask(plain, "POST", PODS, podBody({ name: "p" }, { nodeName: "n" }));
  const command = {
    stdout: new PassThrough().end("hello"),
    resize: () => {},
    ended: Promise.resolve({ exitCode: 0 }),
    close: () => {},
  };
  const server: ApiServer = {
    ...plain,
    audit: { note: (event) => noted.push(event) },
    streams: {
      exec: async () => command,
      attach: async () => command,
      connect: async () => new PassThrough(),
    },
  };
  const authenticate = () => ({ name: "tester", groups: ["system:masters"] });
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  const url = `ws://127.0.0.1:${listener.port}${PODS}/${pod}/exec?command=id&stdout=1`;
  const socket = new WebSocket(url, ["v5.channel.k8s.io"]);
  socket.on("error", () => {});
  await poll(() => noted).toHaveLength(2);
  return noted.map(({ stage, responseStatus }) => [stage, responseStatus]);
}

test("a stream is audited when it is requested and when it ends", async () => {
  expect(await auditExec("p")).toEqual([
    ["RequestReceived", undefined],
    ["ResponseComplete", { metadata: {}, code: 101 }],
  ]);
});

test("a rejected stream is audited with the code of the rejection", async () => {
  expect(await auditExec("missing")).toEqual([
    ["RequestReceived", undefined],
    ["ResponseComplete", { metadata: {}, status: "Failure", code: 404 }],
  ]);
});
