import { expect, test } from "vitest";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { Metrics } from "../../base/metrics.ts";
import { admitCaller } from "./guard.ts";

test("/metrics returns current values in Prometheus' format", () => {
  const metrics = new Metrics();
  const server = { ...aServer(), metrics };
  const total = metrics.counter("a_total", "a");
  expect(ask(server, "GET", "/metrics").text).toContain("\na_total 0\n");
  total.add({});
  expect(ask(server, "GET", "/metrics")).toMatchObject({
    status: 200,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: metrics.text(),
  });
  expect(ask(server, "POST", "/metrics").status).toBe(405);
});

test("without metrics, /metrics is answered with 404", () => {
  expect(ask(aServer(), "GET", "/metrics").status).toBe(404);
});

test("/metrics requires authentication", () => {
  const guard = { hosts: new Set(["localhost"]), authenticate: () => undefined };
  const credentials = { host: "localhost", origin: undefined, authorization: undefined };
  expect(() => admitCaller(guard, "/metrics", credentials)).toThrow("Unauthorized");
  expect(admitCaller(guard, "/healthz", credentials).name).toBe("system:anonymous");
});
