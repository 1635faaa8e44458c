/** The README shows commands with their output. It must be the output that they print. */
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place } from "./tally-run.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** The first three examples; the others need a kill, or kubectl. */
function shownCommands(): readonly Shown[] {
  const text = readFileSync(path.join(ROOT, "README.md"), "utf8");
  const examples = text.split("## Five examples")[1]?.split("**4.")[0] ?? "";
  const shown: { command: string; output: string[] }[] = [];
  for (const [, line = ""] of examples.matchAll(/^ {4}(.*)$/gm)) {
    if (line.startsWith("$ ")) shown.push({ command: line.slice(2), output: [] });
    else shown.at(-1)?.output.push(line);
  }
  return shown;
}

/** Without what is different each time. Items that run at once may end in any order. */
function comparable(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) =>
      line
        .replace(/\b(?:\d+m)?\d+(?:\.\d+)?s\b/g, "TIME")
        .replace(/\d+ at a time/, "N at a time")
        .replace(/gzip-\w{5}/, "gzip-NAME")
        .replace(/fetch-1-\w{5}_[-0-9a-f]{36}/, "fetch-1-POD"),
    )
    .sort();
}

const FETCH = `#!/bin/sh
case $1 in *missing*) [ -e fixed ] || { echo "404 Not Found" >&2; exit 22; };; esac
echo "200 OK $1"
`;

let place: Place;
beforeEach(() => {
  place = new Place();
  symlinkSync(path.join(ROOT, "dist/main.js"), place.path("tally"));
  for (const name of ["app1", "app2", "app3"]) writeFileSync(place.path(`${name}.log`), "text\n");
  writeFileSync(
    place.path("people.csv"),
    "NAME,CITY\nAda,London\nGrace,New York\nLinus,Helsinki\n",
  );
  const urls = ["a", "missing", "b"].map((name) => `https://example.org/${name}\n`);
  writeFileSync(place.path("urls.txt"), urls.join(""));
  writeFileSync(place.path("fetch"), FETCH);
  chmodSync(place.path("fetch"), 0o755);
});
afterEach(() => place.dispose());

function print(command: string): readonly string[] {
  const { stdout } = spawnSync("sh", ["-c", `${command} 2>&1`], {
    cwd: place.directory,
    encoding: "utf8",
    env: { ...process.env, PATH: `${place.directory}:${process.env["PATH"]}` },
  });
  return stdout.trimEnd().split("\n");
}

test("the commands in the README print what it shows", () => {
  const shown = shownCommands();
  expect(shown.length).toBeGreaterThan(5);
  for (const { command, output } of shown) {
    // Between the failure and the retry, somebody has repaired the page.
    if (command.startsWith("tally retry")) writeFileSync(place.path("fixed"), "");
    const printed = print(command);
    if (output.includes("…")) continue;
    expect([command, ...comparable(printed)]).toEqual([command, ...comparable(output)]);
  }
});
