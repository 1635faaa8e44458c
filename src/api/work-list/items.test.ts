import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { openItems } from "./items.ts";
import { WORK_LIST } from "./names.ts";
import { type ListObject, storeList } from "./stored-list.ts";

const LARGE = Array.from({ length: 3000 }, (_, n) => `${n} ${"x".repeat(500)}`);

test("only the object that has an item is read for it", () => {
  const { items, read } = opened({ parameters: ["ITEM"], columns: [LARGE] });
  expect(items.valuesAt(2500)).toEqual([LARGE[2500]]);
  expect(items.valuesAt(2501)).toEqual([LARGE[2501]]);
  expect(read.filter((name) => name !== "list")).toHaveLength(1);
  expect(items.valuesAt(3000)).toBeUndefined();
  expect(items.nameAt(3000)).toBeUndefined();
});

test("an item is found by its whole value, even if its name is shortened, and by its name", () => {
  const { items } = opened({ parameters: ["ITEM"], columns: [LARGE] });
  expect(items.nameAt(7)?.length).toBeLessThan(200);
  expect(items.find(LARGE[7] ?? "")).toEqual([7]);
  const pairs = opened({
    parameters: ["F", "C"],
    columns: [
      ["a", "a"],
      ["x", "y"],
    ],
  }).items;
  expect(pairs.find("F=a C=y")).toEqual([1]);
  expect([...pairs.names()]).toEqual(["F=a C=x", "F=a C=y"]);
});

test("there are no items without a list, with a missing list, and with a secret list", () => {
  const without = openItems(aJob({}, { name: "run" }), () => undefined);
  const gone = openItems(jobOf("list"), () => undefined);
  const secret = openItems(jobOf("secret/list"), () => {
    throw new Error("not to be read");
  });
  for (const items of [without, gone, secret]) {
    expect(items.nameAt(0)).toBeUndefined();
    expect([items.parameters, items.find("a"), [...items.names()]]).toEqual([[], [], []]);
  }
});

function jobOf(list: string) {
  return aJob({}, { name: "run", annotations: { [WORK_LIST]: list } });
}

function opened(list: Parameters<typeof storeList>[0]) {
  const objects = storeList(list, { name: "list", namespace: "ns", kind: "ConfigMap" });
  const read: string[] = [];
  const find = ({ name }: { readonly name: string }): ListObject | undefined => {
    read.push(name);
    return objects.find(({ metadata }) => metadata.name === name);
  };
  return { items: openItems(jobOf("list"), find), read };
}
