import { expect, test } from "vitest";
import { parseQuery } from "./query.ts";

test.each([
  ["", []],
  [
    "limit=1&labelSelector=a%3Db+c",
    [
      ["limit", "1"],
      ["labelSelector", "a=b c"],
    ],
  ],
  ["limit=%zz&watch=1", [["watch", "1"]]],
  ["limit=1;watch=1&pretty=", [["pretty", ""]]],
  ["limit=%4", []],
  ["&&a", [["a", ""]]],
])("the query %j is parsed as %j", (text, pairs) => {
  expect([...parseQuery(text)]).toEqual(pairs);
});
