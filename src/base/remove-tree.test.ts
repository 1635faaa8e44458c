import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeTree } from "./remove-tree.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-remove-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const sh = (script: string, ...args: readonly string[]) =>
  execFileSync("sh", ["-c", script, "sh", ...args], { cwd: directory });

test("a tree is removed with files, links, closed directories and odd names", async () => {
  sh(`mkdir -p tree/a/b/c tree/closed/inner 'tree/with space' victim; echo > tree/a/b/f
    echo > victim/kept; ln -s ../victim tree/link; ln -s nowhere tree/dangling; mkfifo tree/fifo
    echo > "tree/new
line"; chmod 0 tree/closed/inner tree/closed`);
  await removeTree(path.join(directory, "tree"));
  expect(readdirSync(directory)).toEqual(["victim"]);
  expect(readdirSync(path.join(directory, "victim"))).toEqual(["kept"]);
});

test("a path at which there is nothing, a file or a link is removed as well", async () => {
  writeFileSync(path.join(directory, "file"), "");
  sh("mkdir victim; echo > victim/kept; ln -s victim link");
  for (const name of ["missing", "file", "link", "missing/below"]) {
    await removeTree(path.join(directory, name));
  }
  expect(readdirSync(directory)).toEqual(["victim"]);
});

test("a tree that is too deep for a path is removed", async () => {
  mkdirSync(path.join(directory, "deep"));
  sh(
    `cd deep; i=0; while [ $i -lt 300 ]; do
      mkdir "$1"; cd -P "./$1"; echo > file; i=$((i + 1)); done`,
    "d".repeat(100),
  );
  await removeTree(path.join(directory, "deep"));
  expect(readdirSync(directory)).toEqual([]);
});

test("files outside are safe while somebody swaps directories for links", async () => {
  sh("mkdir -p tree victim; for i in $(seq 200); do echo > victim/$i; done");
  sh(
    "for i in $(seq 40); do mkdir -p tree/r$i/s; for j in $(seq 20); do echo > tree/r$i/s/$j; done; done",
  );
  const swap = `while [ -d tree ]; do for r in tree/r*; do
      mv -T "$r" tree/hold 2>/dev/null && ln -s "$PWD/victim" "$r" 2>/dev/null
      mv -T tree/hold "$r.x" 2>/dev/null
    done; done`;
  const swapping = spawn("sh", ["-c", swap], { cwd: directory, stdio: "ignore" });
  try {
    for (let round = 0; existsSync(path.join(directory, "tree")) && round < 100; round++) {
      await removeTree(path.join(directory, "tree")).catch(() => {});
    }
  } finally {
    swapping.kill("SIGKILL");
  }
  expect(readdirSync(path.join(directory, "victim"))).toHaveLength(200);
});
