import { expect, test } from "vitest";
import { conflict, notFound } from "../api/errors.ts";
import { errorOf } from "./http-errors.ts";

test.each([
  notFound({ group: "batch", resource: "jobs" }, "a"),
  conflict({ group: "", resource: "pods" }, "a", "changed"),
])("a Status is the error it was", (error) => {
  expect(errorOf(error.code, JSON.stringify(error.status))).toEqual(error);
});

test.each([
  [404, "404 page not found\n", "404 NotFound 404 page not found"],
  [503, "", "503 ServiceUnavailable the server answered 503"],
  [502, "<html>", "502  <html>"],
  [500, '{"kind":"Other"}', '500 InternalError {"kind":"Other"}'],
  [429, "null", "429 TooManyRequests null"],
])("%i %j is not one of ours", (code, text, expected) => {
  const error = errorOf(code, text);
  expect(`${error.code} ${error.reason} ${error.message}`).toBe(expected);
});

test("a page is not a message", () => {
  expect(errorOf(502, "x".repeat(100_000)).message.length).toBeLessThan(5000);
});
