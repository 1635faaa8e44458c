/** Many at once: idle connections, unread watches, more requests than the queue holds. */
import { connect as connectPlain } from "node:net";
import { expect } from "vitest";
import { type Connection, head, open } from "../http/raw.ts";
import { type Attack, CONFIG_MAPS, played } from "./attack.ts";
import { ask, type Target } from "./target.ts";

const MANY = 60;

async function openMany({ tally }: Target, count: number): Promise<readonly Connection[]> {
  return Promise.all(Array.from({ length: count }, () => open(tally)));
}

async function expectServed(target: Target): Promise<void> {
  expect((await ask(target, { path: `${CONFIG_MAPS}/victim` })).status).toBe(200);
}

function destroyAll(connections: readonly Connection[]): void {
  for (const { socket } of connections) socket.destroy();
}

export const FLOOD_ATTACKS: readonly Attack[] = [
  played("bodies that are announced and never sent", async (target) => {
    const connections = await openMany(target, MANY);
    const start = head(target.tally, `POST ${CONFIG_MAPS} HTTP/1.1`, ["Content-Length: 3000000"]);
    for (const { socket } of connections) socket.write(`${start}{`);
    await expectServed(target);
    destroyAll(connections);
  }),
  played("connections that never finish the TLS handshake", async (target) => {
    const { hostname, port } = new URL(target.tally.url);
    const sockets = Array.from({ length: MANY }, () => connectPlain(Number(port), hostname));
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.once("connect", done))));
    for (const socket of sockets) socket.write("\x16\x03\x01\x02");
    await expectServed(target);
    for (const socket of sockets) socket.destroy();
  }),
  played("plain HTTP on the TLS port", async (target) => {
    const { hostname, port } = new URL(target.tally.url);
    const socket = connectPlain(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(`GET ${CONFIG_MAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    await new Promise((done) => socket.once("close", done));
    await expectServed(target);
  }),
  played("watches that are never read", async (target) => {
    const { tally } = target;
    const connections = await openMany(target, MANY);
    for (const { socket } of connections) {
      socket.write(head(tally, `GET ${CONFIG_MAPS}?watch=1 HTTP/1.1`));
      socket.pause();
    }
    const data = { text: "x".repeat(500_000) };
    for (let round = 0; round < 5; round++) {
      const name = `flood-${round}`;
      const { status } = await tally.call("POST", CONFIG_MAPS, { metadata: { name }, data });
      expect(status).toBe(201);
      await tally.call("DELETE", `${CONFIG_MAPS}/${name}`);
    }
    await expectServed(target);
    destroyAll(connections);
  }),
  played("rejected exec requests, repeatedly", async (target) => {
    const connections = await openMany(target, MANY);
    const lines = ["Connection: Upgrade", "Upgrade: SPDY/3.1"];
    const where = "/api/v1/namespaces/default/pods/victim/exec?command=id&stdout=1";
    const start = head(target.tally, `POST ${where} HTTP/1.1`, lines);
    for (const { socket } of connections) socket.write(start);
    const told = await Promise.all(connections.map((connection) => connection.over()));
    expect(told.filter((text) => !/^HTTP\/1\.1 [45]\d\d /.test(text))).toEqual([]);
    await expectServed(target);
    destroyAll(connections);
  }),
  played("upgrade requests by clients that disconnect at once", async (target) => {
    const lines = ["Host: 127.0.0.1", "Connection: Upgrade", "Upgrade: h2c"];
    const start = "GET /api/v1/namespaces/own/pods HTTP/1.1";
    const whole = `${[start, ...lines].join("\r\n")}\r\n\r\n`;
    for (let round = 0; round < MANY; round++) {
      const socket = connectPlain(target.insecurePort, "127.0.0.1");
      socket.on("error", () => {});
      await new Promise((done) => socket.once("connect", done));
      await new Promise((done) => socket.write(whole, done));
      socket.resetAndDestroy();
    }
    await expectServed(target);
  }),
  played("more requests of one client than its queue holds", async (target) => {
    const { tally } = target;
    const connections = await openMany(target, 40);
    const one = head(tally, "GET /api/v1/namespaces/own/pods HTTP/1.1", ["User-Agent: flood"]);
    for (const { socket } of connections) socket.write(one.repeat(50));
    const own = "/api/v1/namespaces/own/configmaps/own";
    expect((await ask(target, { path: own, as: "mallory" })).status).toBe(200);
    destroyAll(connections);
  }),
];
