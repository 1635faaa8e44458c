import { createServer as createHttp } from "node:http";
import { createServer as createHttp2, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { probeGrpc } from "./grpc-probe.ts";
import { probeHttp } from "./http-probe.ts";
import { probeTcp } from "./tcp-probe.ts";

const servers: Server[] = [];
const never = new AbortController().signal;

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** One that nobody listens on: it was given back. */
async function freePort(): Promise<number> {
  const server = createHttp();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function http(port: number, path = "/") {
  const container = { name: "c", image: "i" };
  return { container: container as never, httpGet: { port, path }, podIp: "127.0.0.1" };
}

describe("httpGet", () => {
  const answers: { readonly [path: string]: readonly [number, string?] } = {
    "/ok": [200],
    "/made": [201],
    "/missing": [404],
    "/broken": [500],
    "/moved": [302, "/ok"],
    "/away": [302, "http://elsewhere.test/"],
    "/round": [302, "/round"],
  };
  const serve = () =>
    listen(
      createHttp((request, response) => {
        const [status, location] = answers[request.url ?? ""] ?? [400];
        response.writeHead(status, location === undefined ? {} : { location }).end("said");
      }),
    );

  test.each([
    ["/ok", { isSuccess: true, output: "said" }],
    ["/made", { isSuccess: true }],
    ["/missing", { isSuccess: false, output: "HTTP probe failed with statuscode: 404" }],
    ["/broken", { isSuccess: false, output: "HTTP probe failed with statuscode: 500" }],
    ["/moved", { isSuccess: true }],
    [
      "/away",
      {
        isSuccess: true,
        isWarning: true,
        output: "Probe terminated redirects, Response body: said",
      },
    ],
    ["/round", { isSuccess: false }],
  ])("%s", async (path, result) => {
    expect(await probeHttp(http(await serve(), path), never)).toMatchObject(result);
  });

  test("says who asks, and asks each time on a connection of its own", async () => {
    let headers = {};
    const port = await listen(
      createHttp((request, response) => {
        headers = request.headers;
        response.end();
      }),
    );
    const httpGet = { port, httpHeaders: [{ name: "X-Who", value: "me" }] };
    await probeHttp({ ...http(port), httpGet }, never);
    expect(headers).toMatchObject({
      "user-agent": "kube-probe/1.36",
      accept: "*/*",
      "x-who": "me",
      connection: "close",
    });
  });

  test("nobody listens", async () => {
    const port = await freePort();
    const where = `127.0.0.1:${port}`;
    expect(await probeHttp(http(port), never)).toEqual({
      isSuccess: false,
      output: `Get "http://${where}/": dial tcp ${where}: connect: connection refused`,
    });
  });

  test("an answer that does not come in time", async () => {
    const port = await listen(createHttp(() => {}));
    const late = new AbortController();
    const probing = probeHttp(http(port), late.signal);
    late.abort();
    expect((await probing).output).toContain("context deadline exceeded");
  });
});

test("tcpSocket asks whether somebody accepts connections", async () => {
  expect(await probeTcp("127.0.0.1", await listen(createHttp()), never)).toMatchObject({
    isSuccess: true,
  });
  const port = await freePort();
  expect(await probeTcp("127.0.0.1", port, never)).toEqual({
    isSuccess: false,
    output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

describe("grpc", () => {
  const trailers = (status: string, message = "") => ({
    "grpc-status": status,
    "grpc-message": message,
  });
  const serve = (state: number, status = "0"): Promise<number> => {
    const server = createHttp2();
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.resume();
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers(status, "said")));
      stream.end(status === "0" ? Buffer.from([0, 0, 0, 0, 2, 8, state]) : undefined);
    });
    return listen(server as unknown as Server);
  };
  const ask = (port: number) =>
    probeGrpc({ host: "127.0.0.1", port, service: "s", timeoutMs: 1000 }, never);

  test.each([
    [1, "0", true, "service healthy"],
    [2, "0", false, 'service unhealthy (responded with "NOT_SERVING")'],
    [
      0,
      "12",
      false,
      "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): said",
    ],
    [0, "5", false, "error: health rpc probe failed: said"],
  ])("state %s, status %s", async (state, status, isSuccess, output) => {
    expect(await ask(await serve(state, status))).toEqual({ isSuccess, output });
  });

  test("nobody listens", async () => {
    const port = await freePort();
    const where = `"127.0.0.1:${port}"`;
    expect((await ask(port)).output).toContain(`failed to connect service ${where} within 1s`);
  });
});
