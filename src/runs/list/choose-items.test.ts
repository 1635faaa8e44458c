import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { formatIndexes } from "../../api/index-set.ts";
import { openItems } from "../../api/work-list/items.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import { storeList } from "../../api/work-list/stored-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { chooseIndexes, type ItemChoice } from "./choose-items.ts";

const VALUES = ["a", "b", "7", "a", "d", "e", "f", "g"];
const LIST = { parameters: ["ITEM"], columns: [VALUES] };

test.each<[ItemChoice, string]>([
  [{ index: "3,5-6" }, "3,5,6"],
  [{ index: " 2 " }, "2"],
  [{ word: "7" }, "7"],
  [{ word: "1-3" }, "1-3"],
  [{ item: "7" }, "2"],
  [{ word: "a" }, "0,3"],
  [{ item: "d" }, "4"],
])("%j means %s", (choice, indexes) => {
  expect(formatIndexes(choose(choice))).toBe(indexes);
});

test.each<[ItemChoice, typeof CommandFailure | typeof UsageError, string]>([
  [{ index: "x" }, UsageError, '--index must be like "3,7-9", not "x"'],
  [{ index: "5-3" }, UsageError, '--index must be like "3,7-9", not "5-3"'],
  [{ index: "8" }, CommandFailure, "there is no index 8: they are 0 to 7"],
  [{ word: "nothing" }, CommandFailure, 'the run has no item "nothing"'],
])("%j is refused", (choice, kind, text) => {
  expect(() => choose(choice)).toThrow(kind as typeof UsageError);
  expect(() => choose(choice)).toThrow(text);
});

function choose(choice: ItemChoice) {
  const spec = { completionMode: "Indexed", completions: VALUES.length };
  const job = aJob(spec, { name: "run", annotations: { [WORK_LIST]: "list" } });
  const [object] = storeList(LIST, { name: "list", namespace: "ns", kind: "ConfigMap" });
  return chooseIndexes(
    job,
    openItems(job, () => object),
    choice,
  );
}
