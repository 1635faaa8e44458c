import { expect, test } from "vitest";
import { parseLogQuery } from "./log-options.ts";

const NOTHING = { container: "", follow: false, previous: false, timestamps: false };

test.each<[string, object]>([
  ["", {}],
  ["container=c&follow=true", { container: "c", follow: true }],
  ["follow=false&previous=0&timestamps", { timestamps: true }],
  ["sinceSeconds=5&tailLines=0&limitBytes=1", { sinceSeconds: 5, tailLines: 0, limitBytes: 1 }],
  ["sinceTime=2026-01-01T00:00:01Z", { sinceMs: Date.UTC(2026, 0, 1, 0, 0, 1) }],
  ["sinceTime=2026-01-01T00:00:01.9Z", { sinceMs: Date.UTC(2026, 0, 1, 0, 0, 1) }],
  ["sinceTime=", {}],
  ["sinceTime=null", {}],
  ["insecureSkipTLSVerifyBackend=true&pretty=true", {}],
])("the query %j is parsed", (query, expected) => {
  expect(parseLogQuery(new URLSearchParams(query), "p")).toEqual({ ...NOTHING, ...expected });
});

test.each([
  ["tailLines=x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["limitBytes=", 'strconv.ParseInt: parsing "": invalid syntax'],
  [
    "sinceTime=yesterday",
    'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
  ],
])("the query %j is rejected as malformed", (query, message) => {
  expect(refusal(query)).toMatchObject({ code: 400, reason: "BadRequest", message });
});

const BOTH = "at most one of `sinceTime` or `sinceSeconds` may be specified";

test.each([
  ["tailLines=-1", "tailLines: Invalid value: -1: must be greater than or equal to 0"],
  ["limitBytes=0", "limitBytes: Invalid value: 0: must be greater than 0"],
  ["sinceSeconds=0", "sinceSeconds: Invalid value: 0: must be greater than 0"],
  ["sinceSeconds=0&sinceTime=2026-01-01T00:00:00Z", `[]: Forbidden: ${BOTH}`],
  ["sinceSeconds=1&sinceTime=", `[]: Forbidden: ${BOTH}`],
  ["stream=Stdout", "stream: Forbidden: may not be specified"],
  [
    "tailLines=-1&limitBytes=-2",
    "[tailLines: Invalid value: -1: must be greater than or equal to 0, " +
      "limitBytes: Invalid value: -2: must be greater than 0]",
  ],
])("the query %j is rejected as invalid", (query, findings) => {
  expect(refusal(query)).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: `PodLogOptions "p" is invalid: ${findings}`,
    status: { details: { name: "p", kind: "PodLogOptions" } },
  });
});

function refusal(query: string): unknown {
  try {
    return parseLogQuery(new URLSearchParams(query), "p");
  } catch (error) {
    return error;
  }
}
