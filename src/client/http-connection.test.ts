import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { watchEvents } from "../../test/contracts/seen-events.ts";
import { type Identity, issueAuthority, issueServer } from "../access/x509.ts";
import { ApiError, expired } from "../api/errors.ts";
import { jobs } from "../api/resources.ts";
import { type ConnectionOptions, connect } from "./http-connection.ts";
import { type RemoteClient, remoteClient } from "./remote.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return (server.address() as AddressInfo).port;
}

function clientOf(options: ConnectionOptions): RemoteClient {
  const client = remoteClient(options);
  open.push(client);
  return client;
}

/** A client of a server that answers as the test defines. */
async function scripted(answer: RequestListener, options: Partial<ConnectionOptions> = {}) {
  const port = await listening(createServer(answer));
  return clientOf({ server: `http://127.0.0.1:${port}`, ...options });
}

const EMPTY = JSON.stringify({ metadata: { resourceVersion: "1" }, items: null });
const A = { namespace: "ns", name: "a" };

/** The error of a request that must fail. */
const errorOf = (request: Promise<unknown>) =>
  request.then(
    () => undefined,
    (error: unknown) => error,
  );

test("a request sends its credentials, user agent and accepted type", async () => {
  let told: unknown;
  const client = await scripted(
    ({ method, url, headers }, response) => {
      const { accept, authorization, "user-agent": agent, "content-type": type } = headers;
      told = { method, url, accept, authorization, agent, type };
      response.end(EMPTY);
    },
    { token: "secret", userAgent: "tally/1" },
  );
  await client.list(jobs);
  expect(told).toEqual({
    method: "GET",
    url: "/apis/batch/v1/jobs?limit=500",
    accept: "application/json",
    authorization: "Bearer secret",
    agent: "tally/1",
    type: undefined,
  });
});

test("the API may be below the root path", async () => {
  const urls: (string | undefined)[] = [];
  const port = await listening(
    createServer(({ url }, response) => {
      urls.push(url);
      response.end(EMPTY);
    }),
  );
  const client = clientOf({ server: `http://127.0.0.1:${port}/clusters/one/` });
  await client.list(jobs);
  expect(urls).toEqual(["/clusters/one/apis/batch/v1/jobs?limit=500"]);
});

test("several requests use one connection", async () => {
  const ports = new Set<number | undefined>();
  const client = await scripted(({ socket }, response) => {
    ports.add(socket.remotePort);
    response.end(EMPTY);
  });
  for (let request = 0; request < 5; request++) await client.list(jobs);
  expect(ports.size).toBe(1);
});

test("many watches do not block requests", async () => {
  const client = await scripted(({ url }, response) => {
    if (url?.includes("watch=")) response.writeHead(200).flushHeaders();
    else response.end(EMPTY);
  });
  for (let watch = 0; watch < 40; watch++) {
    open.push(watchEvents(client, jobs, { resourceVersion: "1" }));
  }
  expect((await client.list(jobs)).items).toEqual([]);
});

test("a missing answer is an error with the request and the cause", async () => {
  const closed = await listening(createServer());
  for (const each of open.splice(0)) each.close();
  const client = clientOf({ server: `http://127.0.0.1:${closed}` });
  const error = await errorOf(client.get(jobs, A));
  expect(error).not.toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    message: "GET /apis/batch/v1/namespaces/ns/jobs/a",
    cause: { code: "ECONNREFUSED" },
  });
  const watch = watchEvents(client, jobs, { resourceVersion: "1" });
  expect(await watch.end).toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

test("a truncated answer is an error", async () => {
  const client = await scripted((_, response) => {
    response.writeHead(200, { "Content-Length": "1000" });
    response.write("{", () => response.destroy());
  });
  expect(await errorOf(client.list(jobs))).toMatchObject({ message: "GET /apis/batch/v1/jobs" });
});

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const added = line("ADDED", { metadata: { name: "ä" } });

test.each<[string, RequestListener, readonly string[], object | undefined]>([
  ["ends", (_, response) => response.end(added), ["ADDED ä"], undefined],
  [
    "sends an ERROR event",
    (_, response) => response.end(added + line("ERROR", expired("too old").status) + added),
    ["ADDED ä"],
    { code: 410, reason: "Expired" },
  ],
  [
    "is rejected",
    (_, response) => response.writeHead(403).end("no"),
    [],
    { code: 403, reason: "Forbidden" },
  ],
  [
    "ends within an event",
    (_, response) => response.end(added + added.slice(0, 9)),
    ["ADDED ä"],
    { message: "the watch ended within an event" },
  ],
  [
    "breaks off",
    (_, response) => response.write(added, () => response.destroy()),
    ["ADDED ä"],
    { message: "GET /apis/batch/v1/jobs" },
  ],
  ["sends no events", (_, response) => response.end("<html>\n"), [], { name: "SyntaxError" }],
  [
    "has bookmarks",
    (_, response) => response.end(line("BOOKMARK", { metadata: {} }) + added),
    ["ADDED ä"],
    undefined,
  ],
])("a watch that %s", async (_, answer, expected, error) => {
  const client = await scripted(answer);
  const watch = watchEvents(client, jobs, { resourceVersion: "1" });
  const end = await watch.end;
  expect(watch.all.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(expected);
  if (error) expect(end).toMatchObject(error);
  else expect(end).toBeUndefined();
});

test("an event may arrive in pieces, even within a character", async () => {
  const bytes = Buffer.from(added);
  const cut = bytes.indexOf(0xc3) + 1;
  const client = await scripted((_, response) => {
    response.write(bytes.subarray(0, cut), () => response.end(bytes.subarray(cut)));
  });
  const watch = watchEvents(client, jobs, { resourceVersion: "1" });
  expect(await watch.first(1)).toEqual(["ADDED ä"]);
});

test("a handler that throws ends its watch with its error", async () => {
  const client = await scripted((_, response) => response.end(added));
  const error = await new Promise((resolve) => {
    const onEvent = () => {
      throw new Error("a bug");
    };
    client.watch(jobs, { resourceVersion: "1" }, { onEvent, onEnd: resolve });
  });
  expect(error).toMatchObject({ message: "a bug" });
});

const VALIDITY = { from: new Date("2020-01-01"), to: new Date("2049-01-01") };

function identities(): { readonly ca: string; readonly identity: Identity } {
  const authority = issueAuthority("test-ca", VALIDITY);
  const issuer = { commonName: "test-ca", key: authority.key };
  const request = { commonName: "test", names: ["127.0.0.1"], validity: VALIDITY };
  const identity = issueServer(issuer, request);
  return { ca: authority.cert, identity };
}

test("TLS verifies the server by its CA and sends the client certificate", async () => {
  const { ca, identity } = identities();
  let peer: unknown;
  const server = createSecureServer(
    { ...identity, requestCert: true, rejectUnauthorized: false },
    ({ socket }, response) => {
      peer = (socket as TLSSocket).getPeerCertificate().subject?.CN;
      response.end(EMPTY);
    },
  );
  const address = `https://127.0.0.1:${await listening(server)}`;
  await clientOf({ server: address, ca }).list(jobs);
  expect(peer).toBeUndefined();
  await clientOf({ server: address, ca, certificate: identity }).list(jobs);
  expect(peer).toBe("test");
  const stranger = clientOf({ server: address, ca: identities().ca });
  expect(await errorOf(stranger.list(jobs))).not.toBeInstanceOf(ApiError);
  const trusting = clientOf({ server: address });
  expect(await errorOf(trusting.list(jobs))).toMatchObject({ message: "GET /apis/batch/v1/jobs" });
});

test("an answer can be read as bytes, with the warnings of the server", async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xc3]);
  const port = await listening(
    createServer(({ headers }, answer) => {
      answer.setHeader("X-Accepted", headers.accept ?? "");
      answer.setHeader("Warning", ['299 - "one \\"quoted\\""', '299 - "two, too"', "199 - x"]);
      answer.end(headers.accept === "text/plain" ? bytes : "");
    }),
  );
  const connection = connect({ server: `http://127.0.0.1:${port}` });
  open.push(connection);
  const request = { method: "GET", path: "/", accept: "text/plain" } as const;
  const answer = await connection.send(request);
  expect(answer.warnings).toEqual(['one "quoted"', "two, too"]);
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.bytes) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(bytes);
});
