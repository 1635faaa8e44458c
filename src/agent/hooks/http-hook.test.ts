import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Container, HTTPGetAction } from "../../api/generated/core.ts";
import { hookUrl, requestHook } from "./http-hook.ts";

let server: Server;
let port = 0;
let status = 200;
let location: string | undefined;
let requests: IncomingMessage[] = [];

beforeEach(async () => {
  requests = [];
  status = 200;
  location = undefined;
  server = createServer((request, response) => {
    requests.push(request);
    const headers = location === undefined ? {} : { location };
    response.writeHead(status, headers).end("body");
    location = undefined;
    status = 200;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const container = (fields: object = {}) => ({ name: "c", ...fields }) as Container;
const never = new AbortController().signal;
const ask = (fields: Partial<HTTPGetAction> = {}, of = container()) =>
  requestHook({ container: of, httpGet: { port, ...fields }, podIp: "127.0.0.1" }, never);

describe("the address of a hook", () => {
  test.each<[Partial<HTTPGetAction>, string]>([
    [{ port: 80 }, "http://10.0.0.9/"],
    [{ port: 8080, path: "/a/b?c=d" }, "http://10.0.0.9:8080/a/b?c=d"],
    [{ port: 8080, path: "bye" }, "http://10.0.0.9:8080/bye"],
    [{ port: 8080, host: "example.com" }, "http://example.com:8080/"],
    [{ port: 8080, host: "::1", scheme: "HTTPS" }, "https://[::1]:8080/"],
    [{ port: "web" }, "http://10.0.0.9:7070/"],
  ])("%j: %s", (httpGet, expected) => {
    const ports = [{ name: "web", containerPort: 7070 }];
    const of = container({ ports });
    const url = hookUrl({ container: of, httpGet: { port: 1, ...httpGet }, podIp: "10.0.0.9" });
    expect(url.href).toBe(expected);
  });

  test("needs a port that the container has", () => {
    const httpGet = { port: "nope" };
    const hook = { container: container(), httpGet, podIp: "10.0.0.9" };
    expect(() => hookUrl(hook)).toThrow('the container has no port "nope"');
  });
});

describe("the request of a hook", () => {
  test("says who asks", async () => {
    await ask({ path: "/bye" });
    expect(requests[0]?.url).toBe("/bye");
    expect(requests[0]?.headers).toMatchObject({
      "user-agent": "kube-lifecycle/1.36",
      accept: "*/*",
    });
  });

  test("has the headers it is given", async () => {
    const httpHeaders = [
      { name: "X-Tag", value: "a" },
      { name: "x-tag", value: "b" },
      { name: "User-Agent", value: "me" },
      { name: "Accept", value: "" },
      { name: "Host", value: "other.example" },
    ];
    await ask({ httpHeaders });
    expect(requests[0]?.headers).toMatchObject({
      "x-tag": "a, b",
      "user-agent": "me",
      host: "other.example",
    });
    expect(requests[0]?.headers).not.toHaveProperty("accept");
  });

  test.each([200, 404, 500])("is answered with %i, which will do", async (code) => {
    status = code;
    await expect(ask()).resolves.toBeUndefined();
  });

  test("follows a redirection to the same host", async () => {
    status = 302;
    location = "/elsewhere";
    await ask();
    expect(requests.map(({ url }) => url)).toEqual(["/", "/elsewhere"]);
  });

  test("does not follow one to another host", async () => {
    status = 302;
    location = "http://192.0.2.1/";
    await ask();
    expect(requests).toHaveLength(1);
  });

  test("that finds nobody fails", async () => {
    server.close();
    await expect(ask()).rejects.toThrow("ECONNREFUSED");
  });

  test("is cut short when it is told to", async () => {
    const cut = new AbortController();
    server.removeAllListeners("request");
    server.on("request", () => cut.abort());
    const hook = { container: container(), httpGet: { port }, podIp: "127.0.0.1" };
    await expect(requestHook(hook, cut.signal)).rejects.toThrow("aborted");
  });

  test("by HTTPS is repeated by HTTP if that is spoken, without its secret", async () => {
    const httpHeaders = [{ name: "Authorization", value: "secret" }];
    await expect(ask({ scheme: "HTTPS", httpHeaders })).resolves.toBe(`127.0.0.1:${port}`);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
  });
});
