/** Hundreds of streams, and upgrade requests at the wrong moment: the server keeps working. */
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CommandStream, StreamSource } from "../../src/api/stream-source.ts";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import { podBody } from "../builders/resources.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { poll } from "../support/poll.ts";

const PER_USER = 128;
const IN_ALL = 512;
const POD = "/api/v1/namespaces/default/pods/p";
const WEBSOCKET = {
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const WAYS: readonly (readonly [string, string, { readonly [name: string]: string }])[] = [
  ["exec over a WebSocket", "exec?command=id&stdout=1", channel("v5.channel.k8s.io")],
  ["attach over a WebSocket", "attach?stdout=1", channel("v4.channel.k8s.io")],
  ["exec over SPDY", "exec?command=id&stdout=1", { Upgrade: "SPDY/3.1" }],
  ["attach over SPDY", "attach?stdout=1", { Upgrade: "SPDY/3.1" }],
  ["port-forward over a WebSocket", "portforward?ports=80", channel("v4.channel.k8s.io")],
  ["port-forward over SPDY", "portforward", { Upgrade: "SPDY/3.1" }],
];

function channel(protocol: string) {
  return { ...WEBSOCKET, "Sec-WebSocket-Protocol": protocol };
}

function endless(): CommandStream {
  return {
    stdout: new PassThrough(),
    resize: () => {},
    ended: new Promise(() => {}),
    close: () => {},
  };
}

let listener: Listener;
const sockets: Socket[] = [];
beforeEach(async () => {
  const streams: StreamSource = {
    exec: async () => endless(),
    attach: async () => endless(),
    connect: async () => new PassThrough(),
  };
  const server = { ...aServer(), streams };
  ask(server, "POST", "/api/v1/namespaces/default/pods", podBody({ name: "p" }, { nodeName: "n" }));
  const guard = {
    hosts: new Set(["127.0.0.1"]),
    authenticate: ({ authorization = "" }) => ({ name: authorization, groups: [] }),
  };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.close();
});

interface Told {
  readonly status: number;
  readonly text: string;
  readonly socket?: Socket;
}

function send(
  user: string,
  path: string,
  headers: { readonly [name: string]: string } = {},
): Promise<Told> {
  const { port } = listener;
  const connection = headers["Upgrade"] === undefined ? {} : { Connection: "Upgrade" };
  const all = { ...headers, ...connection, Authorization: user };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: all });
    sent.on("error", reject);
    sent.on("upgrade", ({ statusCode = 0 }, socket: Socket) => {
      socket.on("error", () => {});
      sockets.push(socket);
      resolve({ status: statusCode, text: "", socket });
    });
    sent.on("response", async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      const text = Buffer.concat(pieces).toString("utf8");
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.end();
  });
}

async function fill(user: string, count: number): Promise<void> {
  const [, path, headers] = WAYS[0] as (typeof WAYS)[0];
  for (let each = 0; each < count; each++) {
    expect((await send(user, `${POD}/${path}`, headers)).status).toBe(101);
  }
}

test.each(WAYS)("a stream over the limit of its user is rejected: %s", async (_, path, headers) => {
  await fill("mallory", PER_USER);
  const { status, text } = await send("mallory", `${POD}/${path}`, headers);
  expect({ status, reason: JSON.parse(text).reason }).toEqual({
    status: 429,
    reason: "TooManyRequests",
  });
  expect((await send("alice", `${POD}/${path}`, headers)).status).toBe(101);
  expect((await send("mallory", POD)).status).toBe(200);
});

test("the streams of all users are limited, and closing one makes room", async () => {
  for (let user = 0; user < IN_ALL / PER_USER; user++) await fill(`user-${user}`, PER_USER);
  for (const [, path, headers] of WAYS) {
    expect((await send("alice", `${POD}/${path}`, headers)).status).toBe(429);
  }
  expect((await send("alice", POD)).status).toBe(200);
  sockets[0]?.destroy();
  const [, path, headers] = WAYS[0] as (typeof WAYS)[0];
  const again = async () => (await send("alice", `${POD}/${path}`, headers)).status;
  await poll(again).toBe(101);
});

test("an upgrade request behind an unanswered request closes its connection", async () => {
  const socket = connect(listener.port, "127.0.0.1");
  const host = "Host: 127.0.0.1\r\nAuthorization: mallory\r\n";
  const watch = `GET /api/v1/namespaces/default/pods?watch=1 HTTP/1.1\r\n${host}\r\n`;
  const lines = `${host}Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`;
  const upgrade = `GET ${POD}/exec HTTP/1.1\r\n${lines}`;
  socket.on("error", () => {});
  socket.resume();
  socket.write(watch + upgrade);
  await once(socket, "close");
  expect((await send("alice", POD)).status).toBe(200);
});
