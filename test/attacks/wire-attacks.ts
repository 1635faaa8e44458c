/** Bytes that no HTTP client sends; test/http/limits.test.ts has more, with the exact answers. */
import { expect } from "vitest";
import { head, open } from "../http/raw.ts";
import {
  type Attack,
  BAD_REQUEST,
  bytes,
  CLOSED,
  CONFIG_MAPS,
  played,
  SMUGGLED,
} from "./attack.ts";

const POST = `POST ${CONFIG_MAPS} HTTP/1.1`;
const GET = "GET /version HTTP/1.1";

/** A second answer would mean that a request was smuggled. */
const ONE_ANSWER = /^HTTP\/1\.1 \d(?:(?!HTTP\/1\.1)[\s\S])*$/;

export const WIRE_ATTACKS: readonly Attack[] = [
  bytes("an encoding that ends in chunked but is not", BAD_REQUEST, {
    line: POST,
    headers: ["Transfer-Encoding: xchunked"],
    body: `0\r\n\r\n${SMUGGLED}`,
  }),
  bytes("an encoding hidden behind a vertical tab", BAD_REQUEST, {
    line: POST,
    headers: ["Transfer-Encoding:\x0bchunked", "Content-Length: 5"],
    body: `0\r\n\r\n${SMUGGLED}`,
  }),
  bytes("chunked and then something else", BAD_REQUEST, {
    line: POST,
    headers: ["Transfer-Encoding: chunked, identity"],
    body: `0\r\n\r\n${SMUGGLED}`,
  }),
  bytes("a length with a sign", BAD_REQUEST, { line: POST, headers: ["Content-Length: +5"] }),
  bytes("a length in hexadecimal", BAD_REQUEST, { line: POST, headers: ["Content-Length: 0x5"] }),
  bytes("a length that exceeds all integers", BAD_REQUEST, {
    line: POST,
    headers: [`Content-Length: ${"9".repeat(40)}`],
  }),
  bytes("a chunk whose length exceeds all integers", BAD_REQUEST, {
    line: POST,
    headers: ["Transfer-Encoding: chunked"],
    body: `${"F".repeat(17)}\r\n`,
  }),
  // The client is still sending, so the connection may be reset before the answer is read.
  bytes("a chunk extension of a megabyte", /^(?:$|HTTP\/1\.1 4(?:00|13) )/, {
    line: POST,
    headers: ["Transfer-Encoding: chunked"],
    body: `1;${"x".repeat(1_000_000)}\r\na\r\n0\r\n\r\n`,
  }),
  bytes("a header folded over two lines", BAD_REQUEST, { line: GET, headers: ["X: a", " b: c"] }),
  bytes("a space before the colon of a header", BAD_REQUEST, { line: GET, headers: ["X : a"] }),
  bytes("a NUL in a header", BAD_REQUEST, { line: GET, headers: ["X: a\0b"] }),
  bytes("a carriage return inside a header", BAD_REQUEST, { line: GET, headers: ["X: a\rY: b"] }),
  bytes("a request without a Host", BAD_REQUEST, { line: GET, isBare: true }),
  bytes("an empty Host", /^HTTP\/1\.1 40[03] /, {
    line: GET,
    headers: ["Host:"],
    isBare: true,
  }),
  bytes("a request of HTTP/0.9", CLOSED, { line: "GET /version", isBare: true }),
  bytes("a request of HTTP/2 by prior knowledge", CLOSED, {
    line: "PRI * HTTP/2.0",
    body: "SM\r\n\r\n",
    isBare: true,
  }),
  bytes("a request of HTTP/9.9", CLOSED, { line: "GET /version HTTP/9.9" }),
  bytes("CONNECT to another host", CLOSED, { line: "CONNECT example.com:443 HTTP/1.1" }),
  bytes("an absolute URL of another host", /^HTTP\/1\.1 40[034] /, {
    line: "GET https://example.com/api/v1/secrets HTTP/1.1",
    headers: ["Connection: close"],
  }),
  bytes("a path without a slash", /^HTTP\/1\.1 40[0134] /, {
    line: "GET api/v1/secrets HTTP/1.1",
    headers: ["Connection: close"],
  }),
  bytes("an unknown expectation", /^HTTP\/1\.1 417 /, {
    line: POST,
    headers: ["Expect: the-unexpected", "Content-Length: 0", "Connection: close"],
  }),
  bytes("an upgrade to h2c that carries a second request", ONE_ANSWER, {
    line: GET,
    headers: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"],
    body: SMUGGLED,
  }),
  bytes("an upgrade to a WebSocket where none is served", ONE_ANSWER, {
    line: GET,
    headers: ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    body: SMUGGLED,
  }),
  bytes("credentials in the trailers", /^HTTP\/1\.1 403 /, {
    line: POST,
    headers: ["Host: 127.0.0.1", "Transfer-Encoding: chunked", "Connection: close"],
    body: "0\r\nAuthorization: Bearer x\r\nImpersonate-User: tally-admin\r\n\r\n",
    isBare: true,
  }),
  bytes("credentials behind two thousand other headers", /^HTTP\/1\.1 (?:40[03]|431) /, {
    line: `GET ${CONFIG_MAPS} HTTP/1.1`,
    headers: [
      "Host: 127.0.0.1",
      "Connection: close",
      ...Array.from({ length: 2100 }, (_, at) => `A${at}: b`),
      "Impersonate-User: tally-admin",
    ],
    isBare: true,
  }),
  bytes("a URL of a megabyte", /^(?:$|HTTP\/1\.1 431 )/, {
    line: `GET /${"a".repeat(1_000_000)} HTTP/1.1`,
  }),
  bytes("a body that claims to be compressed", /^HTTP\/1\.1 400 /, {
    line: POST,
    headers: [
      "Content-Encoding: gzip",
      "Content-Type: application/json",
      "Content-Length: 4",
      "Connection: close",
    ],
    body: "\x1f\x8b\x08\x00",
  }),
  played("a field name that tries to inject a header into the answer", async ({ tally }) => {
    const connection = await open(tally);
    const object = { metadata: { name: "warned" }, "a\r\nX-Injected: yes\r\n": 1 };
    const body = JSON.stringify(object);
    const headers = [`Content-Length: ${body.length}`, "Connection: close"];
    connection.socket.write(head(tally, `POST ${CONFIG_MAPS}?dryRun=All HTTP/1.1`, headers) + body);
    const told = await connection.over();
    expect(told).toMatch(/^Warning: 299/m);
    expect(told).not.toMatch(/^X-Injected/m);
  }),
  played("a thousand requests on a connection that the client never reads", async ({ tally }) => {
    const connection = await open(tally);
    connection.socket.pause();
    const one = head(tally, `GET /openapi/v2 HTTP/1.1`);
    connection.socket.write(one.repeat(1000));
    expect((await tally.call("GET", CONFIG_MAPS)).status).toBe(200);
    connection.socket.destroy();
  }),
];
