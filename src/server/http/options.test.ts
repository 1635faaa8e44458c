import { expect, test } from "vitest";
import { parseDeleteQuery, parseListQuery } from "./options.ts";

test.each([
  ["limit=", 'strconv.ParseInt: parsing "": invalid syntax'],
  ["limit=1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ["timeoutSeconds=x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "limit=9223372036854775808",
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
])("the list parameters %j are rejected", (query, problem) => {
  expect(() => parseListQuery(new URLSearchParams(query))).toThrow(problem);
});

test.each([
  ["watch=False", { watch: false }],
  ["watch=0", { watch: false }],
  ["watch=f", { watch: true }],
  ["watch=", { watch: true }],
  ["limit=%2B2&continue=&labelSelector=", { limit: 2 }],
  ["limit=-9223372036854775808", { limit: -(2 ** 63) }],
])("the list parameters %j are parsed", (query, options) => {
  expect(parseListQuery(new URLSearchParams(query))).toEqual(options);
});

test.each([
  ["propagationPolicy=", { propagationPolicy: "" }],
  ["uid=x&resourceVersion=5", { preconditions: { uid: "x", resourceVersion: "5" } }],
  ["gracePeriodSeconds=0&dryRun=All", { gracePeriodSeconds: 0, dryRun: ["All"] }],
  ["orphanDependents=FALSE", { orphanDependents: false }],
])("the deletion parameters %j are parsed", (query, options) => {
  expect(parseDeleteQuery(new URLSearchParams(query))).toEqual(options);
});
