import { expect, test } from "vitest";
import * as rules from "./rules.ts";
import { maskTexts, parseSource } from "./source.ts";

/** The offences that a rule finds in files given as path and text. */
function offences(rule: rules.Rule, files: Record<string, string>): string[] {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text));
  return rule(sources).map(({ path, line, problem }) => `${path}:${line} ${problem}`);
}

test.each([
  ["a line comment", "a; // await b", "a;           "],
  ["a block comment", "a /* await\nb */ c", "a         \n     c"],
  ["a string", 'x("await");', 'x("     ");'],
  ["an escaped quote", String.raw`x("a\"b") + c`, 'x("    ") + c'],
  ["a template", "`await §await x} b`", "`       {await x}  `"],
  ["nested templates", "`a§`b§c}d`}e` + f", "`  {`  {c} `} ` + f"],
  ["braces in a template", "`§{ a: 1 }.a}b` + c", "` {{ a: 1 }.a} ` + c"],
  ["a regular expression", "x = /await\\/[/]/.test(y)", "x = /          /.test(y)"],
  ["a division", "x = a / b; y = c / d", "x = a / b; y = c / d"],
])("%s is masked and positions stay", (_what, text, masked) => {
  // The tables write § for the two characters that open code in a template.
  expect(maskTexts(text.replaceAll("§", "${"))).toBe(masked);
});

test("imports that span lines are found, and those that import only types are marked", () => {
  const text = [
    'import fs from "node:fs";',
    'import type { A } from "./a.ts";',
    'import {\n  type B,\n  type C,\n} from "./b.ts";',
    'import { type D, e } from "./c.ts";',
    'const f = await import("./d.ts");',
    'export { g } from "./e.ts";',
    "const text = 'import \"no\"';",
  ].join("\n");
  const { imports } = parseSource("src/x/y.ts", text);
  expect(imports.map(({ line, target, isTypeOnly }) => [line, target, isTypeOnly])).toEqual([
    [1, undefined, false],
    [2, "src/x/a.ts", true],
    [6, "src/x/b.ts", true],
    [7, "src/x/c.ts", false],
    [8, "src/x/d.ts", false],
    [9, "src/x/e.ts", false],
  ]);
});

const PURE = "/** Pure: adds. */\n";

test.each([
  ["file length", rules.fileLength, { "src/api/a.ts": "x\n".repeat(401) }, "401 lines"],
  ["line length", rules.lineLength, { "src/api/a.ts": "x".repeat(101) }, "101 characters"],
  ["opening", rules.opening, { "src/api/a.ts": "const x = 1;" }, "opens without a comment"],
  ["a meaningless folder name", rules.folderNames, { "src/api/utils/a.ts": "" }, '"utils"'],
  ["a meaningless file name", rules.folderNames, { "src/api/helpers.ts": "" }, '"helpers"'],
  ["a barrel", rules.folderNames, { "src/api/index.ts": "" }, "a barrel"],
  ["export *", rules.barrels, { "src/api/a.ts": 'export * from "./b.ts";' }, "whole"],
  [
    "a wait without an explanation",
    rules.silentWaits,
    { "test/a.ts": "await expect.poll(f).toBe(1);" },
    "gives up without a reason",
  ],
  [
    "a wait without an explanation, on lines of its own",
    rules.silentWaits,
    { "test/a.ts": "await expect\n  .poll(f)\n  .toBe(1);" },
    "gives up without a reason",
  ],
  [
    "an import against the direction",
    rules.importDirection,
    { "src/store/a.ts": 'import { x } from "../server/b.ts";' },
    "src/store/a.ts:1 store imports server (may import: base, api)",
  ],
  [
    "a type against the direction",
    rules.importDirection,
    { "src/api/a.ts": 'import type { X } from "../kinds/b.ts";' },
    "api imports kinds",
  ],
  [
    "a folder without a row",
    rules.importDirection,
    { "src/new/a.ts": 'import { x } from "../api/b.ts";' },
    "no row",
  ],
  [
    "an import of a test",
    rules.importDirection,
    { "src/api/a.ts": 'import { x } from "../../test/b.ts";' },
    "not shipped",
  ],
  [
    "an import without its ending",
    rules.importDirection,
    { "src/api/a.ts": 'import { x } from "./b.js";' },
    "with its .ts",
  ],
  [
    "a cycle",
    rules.importCycles,
    {
      "src/api/a.ts": 'import "./b.ts";',
      "src/api/b.ts": 'import type { C } from "./c.ts";',
      "src/api/c.ts": 'import "./a.ts";',
    },
    "src/api/a.ts -> src/api/b.ts -> src/api/c.ts -> src/api/a.ts",
  ],
  ["async", rules.purity, { "src/x/a.ts": `${PURE}async () => {}` }, "src/x/a.ts:2 a pure file"],
  ["the clock", rules.purity, { "src/x/a.ts": `${PURE}new Date()` }, "the clock"],
  ["chance", rules.purity, { "src/x/a.ts": `${PURE}Math.random()` }, "chance"],
  ["the process", rules.purity, { "src/kinds/a.ts": "process.env" }, "the process"],
  ["a Node module", rules.purity, { "src/api/a.ts": 'import "node:fs";' }, "imports node:fs"],
  [
    "an impure neighbour",
    rules.purity,
    { "src/x/a.ts": `${PURE}import { b } from "./b.ts";`, "src/x/b.ts": "" },
    "src/x/b.ts, which does not say it is pure",
  ],
  ["unfinished work", rules.bannedWords, { "src/a.ts": `// ${"TO"}DO: later` }, "unfinished"],
  ["a machine", rules.bannedWords, { "docs/a.md": `see /${"root"}/x` }, "a path of one machine"],
  ["a banner", rules.bannedWords, { "src/a.ts": `// ${"-".repeat(8)}` }, "a banner"],
] as const)("tidy reports %s", (_what, rule, files, problem) => {
  const found = offences(rule, files);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(problem);
});

test.each([
  ["a time that was given", rules.purity, { "src/api/a.ts": "new Date(now)" }],
  ["words in comments and strings", rules.purity, { "src/api/a.ts": '// await\nx("fetch(");' }],
  [
    "types of impure files",
    rules.purity,
    { "src/api/a.ts": 'import type { A } from "../b/c.ts";' },
  ],
  [
    "an import the table allows",
    rules.importDirection,
    { "src/server/a.ts": 'import "../api/b.ts";' },
  ],
  ["a neighbour", rules.importDirection, { "src/api/a.ts": 'import "./schema/b.ts";' }],
  [
    "a diamond",
    rules.importCycles,
    {
      "src/a.ts": 'import "./b.ts";import "./c.ts";',
      "src/b.ts": 'import "./c.ts";',
      "src/c.ts": "",
    },
  ],
] as const)("tidy allows %s", (_what, rule, files) => {
  expect(offences(rule, files)).toEqual([]);
});
