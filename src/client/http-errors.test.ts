import { expect, test } from "vitest";
import { conflict, notFound } from "../api/errors.ts";
import { errorOf } from "./http-errors.ts";

test.each([
  notFound({ group: "batch", resource: "jobs" }, "a"),
  conflict({ group: "", resource: "pods" }, "a", "changed"),
])("a Status becomes the original error", (error) => {
  expect(errorOf(error.code, JSON.stringify(error.status))).toEqual(error);
});

test.each([
  [404, "404 page not found\n", "404 NotFound 404 page not found"],
  [503, "", "503 ServiceUnavailable the server answered 503"],
  [502, "<html>", "502  <html>"],
  [500, '{"kind":"Other"}', '500 InternalError {"kind":"Other"}'],
  [429, "null", "429 TooManyRequests null"],
])("answer %i %j, which is not a Status, becomes an error", (code, text, expected) => {
  const error = errorOf(code, text);
  expect(`${error.code} ${error.reason} ${error.message}`).toBe(expected);
});

test("a long error page is truncated", () => {
  expect(errorOf(502, "x".repeat(100_000)).message.length).toBeLessThan(5000);
});
