import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Contain } from "../contain.ts";
import { openWebSocket } from "./websocket.ts";

test.each([
  ["v5.channel.k8s.io", "v5.channel.k8s.io, v4.channel.k8s.io"],
  ["SPDY/3.1+portforward.k8s.io", "SPDY/3.1+portforward.k8s.io"],
])("a WebSocket is opened with the subprotocol %s", async (chosen, named) => {
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", async (message, socket, head) => {
    const contain: Contain = (step) => step;
    (await openWebSocket({ message, socket, head, contain }, chosen)).close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": named,
  };
  const answer = await new Promise<IncomingMessage>((resolve) => {
    const sent = request({ host: "127.0.0.1", port, headers });
    sent.on("response", resolve).on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    sent.end();
  });
  server.close();
  expect(answer.statusCode).toBe(101);
  expect(answer.headers["sec-websocket-protocol"]).toBe(chosen);
});
