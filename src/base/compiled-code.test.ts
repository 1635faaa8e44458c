import {
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bundle, CompiledCode } from "./compiled-code.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-compiled-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

const ONE = "module.exports = () => 1;";
const TWO = "module.exports = () => 2;";

function load(code: CompiledCode, content: string, filename: string) {
  const script = code.compile(content, filename);
  const module = { exports: (): number => 0 };
  script.runInThisContext()(module.exports, undefined, module, filename, directory);
  return { answer: module.exports(), isReused: script.cachedDataRejected === false };
}

function files(): readonly string[] {
  return readdirSync(directory).map((name) => path.join(directory, name));
}

function open(bundle: Partial<Bundle> = {}): CompiledCode {
  return new CompiledCode({ directory, version: "one", ...bundle });
}

const inBundle = () => path.join(directory, "core.cjs");
const elsewhere = () => path.join(directory, "..", "package.cjs");

test("code that was compiled once is not compiled again", () => {
  const first = open();
  expect(load(first, ONE, inBundle())).toEqual({ answer: 1, isReused: false });
  first.keep();
  expect(load(open(), ONE, inBundle())).toEqual({ answer: 1, isReused: true });
});

test("code that is loaded later is added to the cache", () => {
  for (const [content, filename] of [
    [ONE, inBundle()],
    [TWO, elsewhere()],
  ] as const) {
    const code = open();
    load(code, content, filename);
    code.keep();
  }
  const last = open();
  expect(load(last, ONE, inBundle()).isReused).toBe(true);
  expect(load(last, TWO, elsewhere())).toEqual({ answer: 2, isReused: true });
});

test("the cache keeps functions that a later process did not compile", () => {
  const lazy =
    "function more(n) { return [n, n + 1, n * 2].map((each) => each + n); }" +
    "module.exports = (isAsked) => (isAsked ? more(1) : []);";
  // With the same file name, V8 would reuse its own in-memory result.
  const places = ["one", "two", "six"].map((name) => path.join(directory, name));
  for (const place of places) symlinkSync(directory, place);
  const run = (code: CompiledCode, place: string, isAsked: boolean): number => {
    const filename = path.join(place, "core.cjs");
    const script = code.compile(lazy, filename);
    const module = { exports: (_isAsked: boolean): number[] => [] };
    script.runInThisContext()(module.exports, undefined, module, filename, directory);
    module.exports(isAsked);
    return script.createCachedData().length;
  };
  const [one = "", two = "", six = ""] = places;
  const [more, less] = [open({ directory: one }), open({ directory: two })];
  const whole = run(more, one, true);
  expect(run(less, two, false)).toBeLessThan(whole);
  more.keep();
  less.keep();
  expect(run(open({ directory: six }), six, false)).toBe(whole);
});

test("another bundle is compiled anew, even if its files have the same length", () => {
  const first = open();
  load(first, ONE, inBundle());
  first.keep();
  const next = open({ version: "two" });
  expect(load(next, TWO, inBundle())).toEqual({ answer: 2, isReused: false });
});

test("a replaced package is compiled anew, even if it has the same length", () => {
  const first = open();
  load(first, ONE, elsewhere());
  first.keep();
  const next = open();
  expect(load(next, TWO, elsewhere())).toEqual({ answer: 2, isReused: false });
});

test("a package that uses import() is left to Node", () => {
  const code = open();
  const importing = 'module.exports = () => import("node:net");';
  expect(code.takes(importing, elsewhere())).toBe(false);
  expect(code.takes(ONE, elsewhere())).toBe(true);
  expect(code.takes(ONE, inBundle())).toBe(true);
});

test("nothing is written if nothing is new", () => {
  const first = open();
  load(first, ONE, inBundle());
  first.keep();
  for (const file of files()) rmSync(file);
  const second = open();
  second.keep();
  expect(files()).toEqual([]);
});

test.each([
  ["truncated", (file: string) => truncateSync(file, 40)],
  ["not a cache file", (file: string) => writeFileSync(file, "\xff\xff\xff\xff{")],
  ["empty", (file: string) => truncateSync(file, 0)],
])("a file that is %s is replaced", (_, spoil) => {
  const first = open();
  load(first, ONE, inBundle());
  first.keep();
  for (const file of files()) spoil(file);
  const second = open();
  expect(load(second, ONE, inBundle())).toEqual({ answer: 1, isReused: false });
  second.keep();
  expect(load(open(), ONE, inBundle()).isReused).toBe(true);
});

test("if the cache cannot be written, the code still runs", () => {
  const code = open({ directory: path.join(directory, "missing") });
  expect(load(code, ONE, inBundle()).answer).toBe(1);
  expect(() => code.keep()).not.toThrow();
});
