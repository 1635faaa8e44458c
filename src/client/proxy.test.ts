import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { issueAuthority, issueServer } from "../access/x509.ts";
import { jobs } from "../api/resources.ts";
import { remoteClient } from "./remote.ts";

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

const VALIDITY = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) };

/** A server under a name that only the proxy can resolve. */
async function secureServer() {
  const authority = issueAuthority("ca", VALIDITY);
  const issuer = { commonName: "ca", key: authority.key };
  const names = { commonName: "server", names: ["cluster.example"], validity: VALIDITY };
  const list = JSON.stringify({ metadata: { resourceVersion: "1" }, items: [] });
  const server = createHttpsServer(issueServer(issuer, names), (_, response) => response.end(list));
  return { ca: authority.cert, port: await listening(server) };
}

function clientThrough(proxyUrl: string, { ca, port }: { ca: string; port: number }) {
  const client = remoteClient({ server: `https://cluster.example:${port}`, ca, proxyUrl });
  open.push(client);
  return client;
}

/** Connects to the loopback address, whatever name is requested. */
async function httpProxy(isOpen = true) {
  const asked: (string | undefined)[] = [];
  const server = createHttpServer();
  server.on("connect", ({ url = "", headers }, socket: Socket) => {
    asked.push(url, headers["proxy-authorization"]);
    if (!isOpen) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const target = connect(Number(url.split(":")[1]), "127.0.0.1");
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.pipe(target).pipe(socket);
    socket.on("error", () => target.destroy());
    target.on("error", () => socket.destroy());
  });
  return { port: await listening(server), asked };
}

test("a client reaches a server through an HTTP proxy and verifies its certificate", async () => {
  const server = await secureServer();
  const proxy = await httpProxy();
  const client = clientThrough(`http://me:p%40ss@127.0.0.1:${proxy.port}`, server);
  expect((await client.list(jobs)).items).toEqual([]);
  const login = Buffer.from("me:p@ss").toString("base64");
  expect(proxy.asked).toEqual([`cluster.example:${server.port}`, `Basic ${login}`]);
});

test("the error of a proxy that refuses contains its answer", async () => {
  const proxy = await httpProxy(false);
  const client = clientThrough(`http://127.0.0.1:${proxy.port}`, await secureServer());
  const cause = expect.objectContaining({ message: expect.stringContaining("403 Forbidden") });
  await expect(client.list(jobs)).rejects.toMatchObject({ cause });
});

/** The necessary parts of RFC 1928, with an answer in two pieces. */
async function socksProxy() {
  const asked: string[] = [];
  const server = createServer(async (socket) => {
    socket.on("error", () => {});
    await once(socket, "data");
    socket.write(Buffer.from([5, 0]));
    const [request] = (await once(socket, "data")) as [Buffer];
    const port = request.readUInt16BE(request.length - 2);
    asked.push(`${request.subarray(5, -2).toString()}:${port}`);
    const target = connect(port, "127.0.0.1");
    target.on("error", () => socket.destroy());
    socket.write(Buffer.from([5, 0, 0]));
    await once(target, "connect");
    socket.write(Buffer.from([1, 127, 0, 0, 1, 0, 0]));
    socket.pipe(target).pipe(socket);
  });
  return { port: await listening(server), asked };
}

test("a client reaches a server through a SOCKS proxy, which resolves its name", async () => {
  const server = await secureServer();
  const proxy = await socksProxy();
  const client = clientThrough(`socks5://127.0.0.1:${proxy.port}`, server);
  expect((await client.list(jobs)).items).toEqual([]);
  expect(proxy.asked).toEqual([`cluster.example:${server.port}`]);
});
