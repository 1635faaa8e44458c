import { expect, test } from "vitest";
import { admitCaller, bearerAuthenticator, type Guard } from "./guard.ts";

const ADMIN = { name: "admin", groups: [] };
const guard: Guard = {
  hosts: new Set(["127.0.0.1", "localhost", "[::1]"]),
  authenticate: bearerAuthenticator((token) => (token === "secret" ? ADMIN : undefined)),
};

function admit(path: string, headers: { host?: string; origin?: string; authorization?: string }) {
  const { host = "127.0.0.1:6443", origin, authorization } = headers;
  return admitCaller(guard, path, { host, origin, authorization });
}

test("a request with the token is admitted under any of the server's names", () => {
  for (const host of ["127.0.0.1:6443", "localhost", "LOCALHOST:1", "[::1]:6443", "localhost."]) {
    expect(admit("/api", { host, authorization: "Bearer secret" })).toBe(ADMIN);
  }
});

test.each([undefined, "Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "Bearer secret x"])(
  "credentials %s are rejected",
  (authorization) => {
    expect(() => admit("/api", authorization === undefined ? {} : { authorization })).toThrow(
      "Unauthorized",
    );
  },
);

test.each(["/healthz", "/livez", "/readyz", "/version"])("anyone may read %s", (path) => {
  expect(admit(path, {}).name).toBe("system:anonymous");
});

test("a wrong token is rejected even if none is needed", () => {
  expect(() => admit("/healthz", { authorization: "Bearer wrong" })).toThrow("Unauthorized");
});

test.each(["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example:80", ""])(
  "a request to the host %s is rejected (DNS rebinding)",
  (host) => {
    expect(() => admit("/api", { host, authorization: "Bearer secret" })).toThrow("not served");
  },
);

test("a page of the server itself may send requests", () => {
  const authorization = "Bearer secret";
  const own = { host: "localhost:6443", origin: "https://localhost:6443", authorization };
  expect(admit("/api", own)).toBe(ADMIN);
  expect(admit("/api", { host: "[::1]", origin: "https://[::1]:443", authorization })).toBe(ADMIN);
});

test.each([
  "https://evil.example",
  "null",
  "https://localhost.evil.example",
  "http://127.0.0.1:6443",
  "https://127.0.0.1:3000",
  "https://127.0.0.1",
  "https://localhost:6443",
  "https://127.0.0.1:6443/path",
])("a page of %s may not send requests", (origin) => {
  expect(() => admit("/api", { origin, authorization: "Bearer secret" })).toThrow("not allowed");
});

test("a browser request from another site is rejected, even without an Origin", () => {
  const credentials = { host: "localhost", origin: undefined, authorization: "Bearer secret" };
  const from = (fetchSite: string) => () =>
    admitCaller(guard, "/api", { ...credentials, fetchSite });
  expect(from("cross-site")).toThrow("other sites");
  expect(from("same-site")).toThrow("other sites");
  for (const site of ["same-origin", "none"]) expect(from(site)()).toBe(ADMIN);
});
