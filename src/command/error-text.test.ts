import { expect, test } from "vitest";
import { ApiError, notFound } from "../api/errors.ts";
import { CommandFailure } from "./command-failure.ts";
import { errorText, failureOf } from "./error-text.ts";

const JOBS = { group: "batch", resource: "jobs" };

function invalid(...fields: readonly string[]): ApiError {
  const causes = fields.map((field) => ({ field, message: "Required value" }));
  return new ApiError(422, "Invalid", "…", { kind: "Job", name: "x", causes });
}

test.each([
  [notFound(JOBS, "x"), 'Error from server (NotFound): jobs.batch "x" not found'],
  [new ApiError(500, "", "broken"), "Error from server: broken"],
  [invalid("spec.a"), 'The Job "x" is invalid: spec.a: Required value'],
  [
    invalid("spec.a", "spec.b", "spec.a"),
    'The Job "x" is invalid: \n* spec.a: Required value\n* spec.b: Required value',
  ],
  [new ApiError(422, "Invalid", "odd"), "The request is invalid: odd"],
  [new Error("outer", { cause: new Error("inner") }), "error: outer: inner"],
  [new CommandFailure("said already"), "said already"],
])("%s", (error, text) => {
  expect(errorText(error)).toBe(text);
});

test("several errors become one failure, and no errors become none", () => {
  expect(failureOf([])).toBeUndefined();
  expect(failureOf([notFound(JOBS, "x"), new Error("y")])?.message).toBe(
    'Error from server (NotFound): jobs.batch "x" not found\nerror: y',
  );
});
