/** Who may use the server, and who may read the files that it writes. */
import { readdir, stat } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { open } from "./raw.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let tally: Tally;
let insecure: number;
beforeAll(async () => {
  const quiet = ["--no-agent", "--controllers=none"];
  tally = await startTally({ args: [...quiet, "--insecure-port", "0"] });
  insecure = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(tally.log())?.[1]);
});
afterAll(() => tally.dispose());

test("a request without credentials is anonymous and is forbidden", async () => {
  const nothing = { Authorization: "" };
  for (const where of ["/apis", "/openapi/v2", "/nowhere", "/healthz/ping"]) {
    const { status, json } = await tally.call("GET", where, undefined, nothing);
    const message = `forbidden: User "system:anonymous" cannot get path "${where}"`;
    expect([status, json.message]).toEqual([403, message]);
  }
  const { status, json } = await tally.call("GET", CONFIG_MAPS, undefined, nothing);
  expect([status, json.message]).toEqual([
    403,
    'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API ' +
      'group "" in the namespace "default"',
  ]);
});

test.each([
  ["a wrong token", "Bearer wrong"],
  ["a scheme without a token", "Bearer"],
  ["a password", "Basic YTpi"],
])("a request with %s is unauthorized", async (_, authorization) => {
  for (const where of [CONFIG_MAPS, "/apis", "/openapi/v2", "/nowhere", "/healthz/ping"]) {
    const answer = await tally.call("GET", where, undefined, { Authorization: authorization });
    expect([where, answer.status, answer.json.message]).toEqual([where, 401, "Unauthorized"]);
  }
});

test.each(["/healthz", "/livez", "/readyz", "/version"])(
  "%s needs no credentials",
  async (where) => {
    const connection = await open(tally);
    const { host } = new URL(tally.url);
    connection.socket.write(`GET ${where} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await connection.over()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  },
);

test("a wrong token is rejected even if no token is needed", async () => {
  const headers = { Authorization: "Bearer wrong" };
  expect((await tally.call("GET", "/version", undefined, headers)).status).toBe(401);
});

test.each([
  [{ Host: "example.com" }],
  [{ Host: "127.0.0.1.example.com" }],
  [{ Origin: "https://example.com" }],
  [{ Origin: "null" }],
  [{ Origin: "http://localhost:3000" }],
])("a request from a page of another host, %j, is forbidden", async (headers) => {
  const answer = await tally.call("GET", CONFIG_MAPS, undefined, headers);
  expect([answer.status, answer.json.reason]).toEqual([403, "Forbidden"]);
});

test.each([
  [{ Host: "localhost" }],
  [{ Host: "LOCALHOST.:1" }],
  [{ Host: "kubernetes.default.svc" }],
])("%j is one of the server's own names", async (headers) => {
  expect((await tally.call("GET", CONFIG_MAPS, undefined, headers)).status).toBe(200);
});

test("files with secrets are readable only by their owner", async () => {
  const files = await readdir(tally.dataDir, { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    files
      .filter((entry) => entry.isFile())
      .map(async ({ name, parentPath }) => ({
        name,
        mode: (await stat(path.join(parentPath, name))).mode & 0o077,
      })),
  );
  const names = modes.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["kubeconfig"]));
  const secrets = modes.filter(({ name }) => /kubeconfig|token|key/.test(name));
  expect(secrets.filter(({ mode }) => mode !== 0)).toEqual([]);
});

test("the port without a token serves every program of this machine", async () => {
  expect(await plain("127.0.0.1", CONFIG_MAPS)).toBe(200);
  expect(await plain("127.0.0.1", CONFIG_MAPS, { Host: "example.com" })).toBe(403);
  expect(await plain("127.0.0.1", CONFIG_MAPS, { Origin: "https://example.com" })).toBe(403);
});

test("the port without a token does not listen on other addresses", async () => {
  await expect(plain("127.0.0.2", "/readyz")).rejects.toThrow();
});

function plain(host: string, where: string, headers: object = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port: insecure, path: where, headers: { ...headers } });
    asked.on("error", reject).on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.end();
  });
}
