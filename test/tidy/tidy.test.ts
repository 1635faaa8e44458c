import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as rules from "./rules.ts";
import { ROOT, readTree, type SourceFile } from "./source.ts";
import { EXCEPTIONS, LAYERS, SUPPRESSIONS, TESTED_ELSEWHERE } from "./tables.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const manifest = JSON.parse(read("package.json"));
const lock = JSON.parse(read("package-lock.json"));

const sources = readTree("src", [".ts"]).filter(({ path }) => !rules.isGenerated(path));
const shipped = sources.filter(({ path }) => !rules.isTest(path));
const tests = ["test", "bench"].flatMap((folder) => readTree(folder, [".ts"]));
const scripts = readTree("scripts", [".mjs"]);
const documents = ["docs", ".ci"].flatMap((folder) => readTree(folder, [".md", "run"]));
const rootFiles = ["README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "package.json"];
const texts = [...documents, ...rootFiles.map(asText), asText("package-lock.json")];

function asText(path: string): SourceFile {
  const text = read(path);
  return { path, text, lines: text.split("\n"), code: [], imports: [] };
}

const CHECKED: readonly [string, rules.Rule, readonly SourceFile[]][] = [
  ["files are short", rules.fileLength, [...sources, ...scripts]],
  ["lines are short", rules.lineLength, [...sources, ...tests, ...scripts]],
  ["files start with a comment that says what they are", rules.opening, [...shipped, ...scripts]],
  ["files and folders are named by nouns of the domain", rules.folderNames, [...sources, ...tests]],
  ["no file only re-exports others", rules.barrels, sources],
  ["a wait in a test prints an explanation when it times out", rules.silentWaits, tests],
  ["imports follow the table of layers", rules.importDirection, shipped],
  ["imports have no cycles", rules.importCycles, shipped],
  ["pure files use no clock, randomness, process or input and output", rules.purity, shipped],
  [
    "files contain no unfinished work, machine paths or notes on how they were made",
    rules.bannedWords,
    [...sources, ...tests, ...scripts, ...texts],
  ],
];

test.each(CHECKED)("%s", (name, rule, files) => {
  const excepted = EXCEPTIONS[name] ?? {};
  const offences = rule(files).filter(({ path }) => excepted[path] === undefined);
  const report = offences.map(({ path, line, problem }) => {
    return `${path}${line > 0 ? `:${line}` : ""}: ${problem}`;
  });
  expect(report).toEqual([]);
});

test("every exception is still needed", () => {
  const stale = Object.entries(EXCEPTIONS).flatMap(([name, paths]) => {
    const [, rule, files] = CHECKED.find(([each]) => each === name) ?? [];
    const offending = new Set(rule?.(files ?? []).map(({ path }) => path));
    return Object.keys(paths).filter((path) => !offending.has(path));
  });
  expect(stale).toEqual([]);
});

test("every layer and every exception of the import table exists or is planned", () => {
  const planned = ["agent", "dns"];
  const present = new Set(sources.map(({ path }) => path.split("/")[1]));
  const absent = Object.keys(LAYERS).filter((layer) => !present.has(layer));
  expect(absent.filter((layer) => !planned.includes(layer))).toEqual([]);
  const paths = Object.values(LAYERS).flatMap(({ exceptions = {} }) => Object.keys(exceptions));
  expect(paths.filter((path) => !sources.some((file) => file.path === path))).toEqual([]);
});

test("every folder of src has a test, or says where it is tested", () => {
  const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");
  const tested = sources.filter(({ path }) => rules.isTest(path)).map(({ path }) => folderOf(path));
  const isTested = (folder: string) =>
    tested.some((each) => each === folder || each.startsWith(`${folder}/`));
  const untested = [...new Set(shipped.map(({ path }) => folderOf(path)))]
    .filter((folder) => folder !== "src" && !isTested(folder))
    .filter((folder) => TESTED_ELSEWHERE[folder] === undefined);
  expect(untested).toEqual([]);
});

test("every test that may be skipped is listed in test/skips.md with its requirement", () => {
  const listed = read("test/skips.md");
  const skipping = [...sources, ...tests]
    .filter(({ code }) =>
      code.some((line) => /\b(test|describe)\.(skip|runIf|todo|only)/.test(line)),
    )
    .map(({ path }) => path);
  expect(skipping.filter((path) => !listed.includes(`\`${path}\``))).toEqual([]);
});

test("Biome checks the rules that need a syntax tree, and every suppression is listed", () => {
  const { linter } = JSON.parse(read("biome.json"));
  const level = (group: string, rule: string) => {
    const value = linter.rules[group]?.[rule];
    return value?.level ?? value;
  };
  const needed = [
    ["suspicious", "noExplicitAny"],
    ["suspicious", "noConsole"],
    ["style", "noNonNullAssertion"],
    ["style", "noDefaultExport"],
    ["style", "noEnum"],
    ["complexity", "noExcessiveLinesPerFunction"],
  ] as const;
  expect(needed.filter(([group, rule]) => level(group, rule) !== "error")).toEqual([]);
  expect(linter.rules.complexity.noExcessiveLinesPerFunction.options.maxLines).toBe(70);

  const silenced = [...sources, ...tests, ...scripts].flatMap(({ path, text }) => {
    const found = text.matchAll(/\/[/*]\s*(?:biome-ignore(?:-\w+)?\s+(\S+?):|(@ts-\w+))/g);
    const names = [...found].map((match) => match[1] ?? match[2] ?? "");
    return names
      .filter((name) => !SUPPRESSIONS[path]?.includes(name))
      .map((name) => `${path}: ${name} is silenced (fix it, or list it in tables.ts)`);
  });
  expect(silenced).toEqual([]);
});

const packageOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const imported = new Set(
  shipped.flatMap(({ imports }) =>
    imports.filter(({ target }) => target === undefined).map(({ specifier }) => specifier),
  ),
);

test("every import is a Node module by its full name, or a declared dependency", () => {
  const known = [
    ...Object.keys(manifest.dependencies),
    ...builtinModules.map((name) => `node:${name}`),
  ];
  const unknown = [...imported].filter(
    (specifier) => !known.includes(packageOf(specifier)) && !known.includes(specifier),
  );
  expect(unknown).toEqual([]);
});

test("every dependency is imported and has its reason in ARCHITECTURE.md", () => {
  const used = new Set([...imported].map(packageOf));
  const reasons = read("ARCHITECTURE.md").split("## Dependencies")[1] ?? "";
  const names = Object.keys(manifest.dependencies);
  expect(names.filter((name) => !used.has(name))).toEqual([]);
  expect(names.filter((name) => !reasons.includes(`| \`${name}\` |`))).toEqual([]);
});

test("package-lock.json names no registry and lists the packages of every platform", () => {
  interface Locked {
    readonly resolved?: string;
    readonly optionalDependencies?: Record<string, string>;
  }
  const packages: Record<string, Locked> = lock.packages;
  const resolved = Object.keys(packages).filter((name) => packages[name]?.resolved !== undefined);
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => packages[`node_modules/${name}`] === undefined);
  expect(resolved).toEqual([]);
  // "npm run lock" adds entries that npm left out.
  expect(missing).toEqual([]);
});
