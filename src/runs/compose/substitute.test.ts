import { expect, test } from "vitest";
import { escapeText } from "../../api/work-list/references.ts";
import { formatArgument, parseArguments } from "./substitute.ts";

const VOCABULARY = {
  names: ["F", "FRUIT", "I"],
  aliases: new Map([
    ["{}", "F"],
    ["{1}", "F"],
  ]),
};

function formatted(command: readonly string[]): readonly string[] {
  return parseArguments(command, VOCABULARY).map(formatArgument);
}

test.each([
  ["a name in braces", "{F}", "$(F)"],
  ["one inside a word", "--in=/data/{F}.gz", "--in=/data/$(F).gz"],
  ["several", "{F}{FRUIT}-{I}", "$(F)$(FRUIT)-$(I)"],
  ["a variable that is the whole argument", "$FRUIT", "$(FRUIT)"],
  ["the item", "x{}y", "x$(F)y"],
  ["a position", "{1}", "$(F)"],
  ["a variable inside a word, not", "a$FRUIT", "a$FRUIT"],
  ["a name that is unknown, not", "{NAME} $NAME", "{NAME} $NAME"],
  ["a program of awk, not", "{print $1}", "{print $1}"],
  ["JSON, not", '{"F": 1}', '{"F": 1}'],
  ["a variable in braces that is the whole argument", `\${F}`, "$(F)"],
  ["a shell's braces, not", `a\${F} \${}`, `a\${F} \${}`],
  ["what Kubernetes would, not", "$(F) $$ $$(F)", "$$(F) $$$$ $$$$(F)"],
  ["nothing in an empty argument", "", ""],
])("replaces %s", (_, argument, expected) => {
  expect(formatted(["echo", argument])).toEqual(["echo", expected]);
});

test("a dollar in front of a reference is escaped", () => {
  expect(formatArgument(["US$", { parameter: "F" }])).toBe("US$$$(F)");
  expect(escapeText("US$")).toBe("US$");
});

test.each([
  [["sh", "-c", `echo $F \${F} $$ $(date)`], 2],
  [["/bin/bash", "-euo", "pipefail", "-c", "echo $F", "{F}"], 4],
  [["env", "A=1", "sh", "-ec", "echo $F"], 4],
  [["nice", "-n", "5", "sh", "-c", "echo $F"], 5],
  [["busybox", "sh", "-c", "echo $F"], 3],
])("nothing is replaced in the script of %j", (command, at) => {
  expect(parseArguments(command, VOCABULARY)[at]).toEqual([command[at]]);
});

test("arguments after a script are arguments", () => {
  expect(formatted(["sh", "-c", 'echo "$1"', "_", "{F}"])[4]).toBe("$(F)");
});

test.each([
  ["echo {F}", "{F} is not replaced in a script that a shell runs"],
  ["gzip {}", "{} is not replaced in a script that a shell runs"],
])("the script %j is refused with a hint", (script, problem) => {
  expect(() => formatted(["sh", "-c", script])).toThrow(problem);
  expect(() => formatted(["sh", "-c", script])).toThrow('write "$F" there');
});

test("a script file is not a script in the command", () => {
  expect(formatted(["sh", "work.sh", "{F}"])).toEqual(["sh", "work.sh", "$(F)"]);
});
