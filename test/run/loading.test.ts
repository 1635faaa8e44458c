import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFile } from "../support/project-file.ts";

const PROGRAM = "dist/program";

/** What is loaded as soon as a file is: at its top, and not inside of a function. */
function requiredAtOnce(file: string): readonly string[] {
  const text = readFileSync(projectFile(`${PROGRAM}/${file}`), "utf8");
  const found = text.matchAll(/^(?:(?:const|let|var) .*)?require\("([^"]+)"\)/gm);
  return [...found].map(([, name = ""]) => name);
}

/** Packages and modules of Node that come with these files of the bundle. */
function loadedWith(files: readonly string[]): ReadonlySet<string> {
  const others = new Set<string>();
  const known = new Set(files);
  for (const file of known) {
    for (const name of requiredAtOnce(file)) {
      if (name.startsWith("./")) known.add(name.slice(2));
      else others.add(name);
    }
  }
  return others;
}

const RARELY_NEEDED = ["yaml", "protobufjs/minimal.js", "ws", "re2js", "dns-packet"];

test("a run loads nothing that only servers and manifests need", () => {
  const loaded = loadedWith(["main.cjs", "run-commands.cjs", "run.cjs", "engine.cjs"]);
  expect([...loaded]).toEqual(expect.arrayContaining(["node:fs", "node:path"]));
  expect(RARELY_NEEDED.filter((name) => loaded.has(name))).toEqual([]);
});

test("what speaks HTTP loads it", () => {
  const loaded = loadedWith(["listen.cjs"]);
  expect([...loaded]).toEqual(expect.arrayContaining(["yaml", "protobufjs/minimal.js"]));
});
