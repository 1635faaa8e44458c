import { expect, test } from "vitest";
import { proxyFor } from "./proxy-environment.ts";

const PROXY = "http://proxy:3128";

test.each([
  ["https://cluster.example:6443", { HTTPS_PROXY: PROXY }, PROXY],
  ["https://cluster.example:6443", { https_proxy: "proxy:3128" }, PROXY],
  ["https://cluster.example:6443", { HTTP_PROXY: PROXY }, undefined],
  ["http://cluster.example", { HTTP_PROXY: PROXY }, PROXY],
  ["https://127.0.0.1:6443", { HTTPS_PROXY: PROXY }, undefined],
  ["https://localhost:6443", { HTTPS_PROXY: PROXY }, undefined],
  ["https://[::1]:6443", { HTTPS_PROXY: PROXY }, undefined],
])("%s with %j uses the proxy %s", (server, environment, proxy) => {
  expect(proxyFor(server, environment)).toBe(proxy);
});

test.each([
  ["*", "https://a.example", true],
  ["a.example", "https://a.example", true],
  ["a.example", "https://b.a.example", true],
  ["a.example", "https://ba.example", false],
  [".a.example", "https://a.example", false],
  [".a.example", "https://b.a.example", true],
  ["*.a.example", "https://b.a.example", true],
  ["*.a.example", "https://a.example", false],
  ["a.example:6443", "https://a.example:6443", true],
  ["a.example:6443", "https://a.example", false],
  ["10.0.0.1", "https://10.0.0.1:6443", true],
  ["10.0.0.0/8", "https://10.9.9.9", true],
  ["10.0.0.0/8", "https://11.9.9.9", false],
  ["x, A.Example ,y", "https://a.example", true],
])("NO_PROXY=%s excludes %s: %s", (exceptions, server, isLeftOut) => {
  const proxy = proxyFor(server, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions });
  expect(proxy === undefined).toBe(isLeftOut);
});
