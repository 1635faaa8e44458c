import fc from "fast-check";
import { expect, test } from "vitest";
import { parseScript } from "./parse-script.ts";
import { composeScript } from "./script.ts";

const value = fc.oneof(
  fc.string({ unit: fc.constantFrom("'", '"', "\\", "\n", " ", ";", "a", ")", "0", "$") }),
  fc.string({ unit: "binary" }).filter((text) => !text.includes("\0")),
);

test("a list is read back out of its script, whatever its values are", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      (rows, isAppended, isBatched) => {
        const list = {
          parameters: ["A", "B_2"],
          columns: [rows.map(([one]) => one), rows.map(([, other]) => other)],
          ...(isBatched ? { isBatched: true as const, derived: ["B_2"] } : {}),
        };
        const command = [["echo"], [{ parameter: "A" }], ["it's ", { parameter: "B_2" }]];
        const script = composeScript({ list, command, appended: isAppended ? ["B_2"] : [] });
        expect(parseScript(script)).toEqual(list);
      },
    ),
  );
});

test("a script that Tally did not write has no list", () => {
  expect(parseScript("#!/bin/sh\necho hello\n")).toBeUndefined();
  const script = composeScript({
    list: { parameters: ["A"], columns: [["x", "y"]] },
    command: [["true"]],
    appended: [],
  });
  expect(parseScript(script.slice(0, script.indexOf("1) ") + 6))).toBeUndefined();
  expect(parseScript(script.replace("# list {", "# list "))).toBeUndefined();
});
