/** Malformed HTTP requests, and requests beyond the limits of the server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { head, open } from "./raw.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MEGABYTE = 1024 * 1024;

let tally: Tally;
beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent", "--controllers=none"] });
});
afterAll(() => tally.dispose());

async function expectAlive(): Promise<void> {
  expect((await tally.call("GET", "/readyz")).text).toBe("ok");
}

const CHUNKED = "Transfer-Encoding: chunked";

test.each<[string, string[], string]>([
  ["a length and chunks at once", ["Content-Length: 4", CHUNKED], "0\r\n\r\n"],
  ["two lengths", ["Content-Length: 4", "Content-Length: 5"], "abcde"],
  ["a negative length", ["Content-Length: -1"], ""],
  ["an unknown encoding", ["Transfer-Encoding: gzip"], "abc"],
  ["a chunk without a size", [CHUNKED], "ZZ\r\nabc\r\n"],
])("%s is rejected and the connection is closed", async (_, headers, body) => {
  const connection = await open(tally);
  connection.socket.write(head(tally, `POST ${CONFIG_MAPS} HTTP/1.1`, headers) + body);
  expect(await connection.over()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  await expectAlive();
});

test("headers over 64 KB are rejected", async () => {
  const connection = await open(tally);
  connection.socket.write(head(tally, "GET /readyz HTTP/1.1", [`X: ${"x".repeat(70_000)}`]));
  // The connection may be reset before the answer arrives.
  expect(await connection.over()).toMatch(/^(?:$|HTTP\/1\.1 431 )/);
  await expectAlive();
});

test.each<[string, string[]]>([
  ["announced", [`Content-Length: ${4 * MEGABYTE}`]],
  ["not announced", [CHUNKED]],
])("a body over 3 MB is rejected if its length is %s", async (_, headers) => {
  const connection = await open(tally);
  connection.socket.write(head(tally, `POST ${CONFIG_MAPS} HTTP/1.1`, headers));
  const chunk = "x".repeat(4 * MEGABYTE);
  const isChunked = headers.includes(CHUNKED);
  const framed = `${(4 * MEGABYTE).toString(16)}\r\n${chunk}\r\n0\r\n\r\n`;
  connection.socket.write(isChunked ? framed : chunk);
  const answer = await connection.until(/"code":413/);
  expect(answer).toContain("Request entity too large: limit is 3145728");
  connection.socket.destroy();
  await expectAlive();
});

test("pipelined requests are answered in order", async () => {
  const connection = await open(tally);
  const last = head(tally, "GET /nowhere HTTP/1.1", ["Connection: close"]);
  const requests = [
    head(tally, "GET /readyz HTTP/1.1"),
    head(tally, "GET /version HTTP/1.1"),
    last,
  ];
  connection.socket.write(requests.join(""));
  const statuses = (await connection.over()).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 404"]);
});

test("the body of a GET is not parsed as the next request", async () => {
  const connection = await open(tally);
  const first = head(tally, "GET /readyz HTTP/1.1", ["Content-Length: 3"]);
  connection.socket.write(
    `${first}abc${head(tally, "GET /nowhere HTTP/1.1", ["Connection: close"])}`,
  );
  const statuses = (await connection.over()).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(["HTTP/1.1 200", "HTTP/1.1 404"]);
});

test("the server answers Expect: 100-continue", async () => {
  const connection = await open(tally);
  const body = JSON.stringify({ metadata: { name: "expected" } });
  const headers = ["Expect: 100-continue", `Content-Length: ${body.length}`];
  connection.socket.write(head(tally, `POST ${CONFIG_MAPS} HTTP/1.1`, headers));
  expect(await connection.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
  connection.socket.write(body);
  expect(await connection.until(/201 Created/)).toContain("201 Created");
  connection.socket.destroy();
});

test("HTTP/1.0 is answered, and then the connection is closed", async () => {
  const connection = await open(tally);
  connection.socket.write(head(tally, "GET /readyz HTTP/1.0"));
  expect(await connection.over()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/);
});

test("a client that half-closes its connection still gets its answer", async () => {
  const connection = await open(tally);
  connection.socket.end(head(tally, "GET /readyz HTTP/1.1", ["Connection: close"]));
  expect(await connection.over()).toMatch(/ok$/);
});

test("an interrupted upload creates nothing", async () => {
  const connections = await Promise.all(Array.from({ length: 20 }, () => open(tally)));
  const body = JSON.stringify({ metadata: { name: "broken" } });
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length + 1}`];
  for (const { socket } of connections) {
    socket.write(head(tally, `POST ${CONFIG_MAPS} HTTP/1.1`, headers) + body, () => {
      socket.destroy();
    });
  }
  await Promise.all(connections.map((connection) => connection.over()));
  expect((await tally.call("GET", `${CONFIG_MAPS}/broken`)).status).toBe(404);
  await expectAlive();
});

test.each([
  ["ten thousand parameters", `${CONFIG_MAPS}?${"a=b&".repeat(10_000)}`, {}, 200],
  ["a long selector", `${CONFIG_MAPS}?labelSelector=${"a,".repeat(499)}a`, {}, 200],
  ["too long a selector", `${CONFIG_MAPS}?labelSelector=${"a,".repeat(20_000)}a`, {}, 400],
  ["a long Accept header", "/apis", { Accept: "a/b,".repeat(12_000) }, 406],
  ["a long name", `${CONFIG_MAPS}/${"a".repeat(50_000)}`, {}, 404],
])("the server handles %s", async (_, path, headers, status) => {
  expect((await tally.call("GET", path, undefined, headers)).status).toBe(status);
});

test.each([
  ["JSON", "application/json", "[".repeat(15_000)],
  ["YAML", "application/yaml", "[".repeat(15_000)],
  ["YAML that grows", "application/yaml", growing()],
])("%s that is nested too deeply is rejected", async (_, type, body) => {
  const answer = await tally.call("POST", CONFIG_MAPS, body, { "Content-Type": type });
  expect(answer.status).toBe(400);
  await expectAlive();
});

/** Each line refers to the one before nine times. */
function growing(): string {
  const lines = ["a0: &a0 [x]"];
  for (let n = 1; n < 12; n++) {
    const before = Array.from({ length: 9 }, () => `*a${n - 1}`).join(", ");
    lines.push(`a${n}: &a${n} [${before}]`);
  }
  return lines.join("\n");
}

test("a patch that is nested too deeply is rejected", async () => {
  await tally.call("POST", CONFIG_MAPS, { metadata: { name: "patched" } });
  const body = `${'{"data":'.repeat(9000)}1${"}".repeat(9000)}`;
  for (const kind of ["merge-patch", "strategic-merge-patch"]) {
    const headers = { "Content-Type": `application/${kind}+json` };
    const answer = await tally.call("PATCH", `${CONFIG_MAPS}/patched`, body, headers);
    expect(answer.status).toBe(400);
  }
});
