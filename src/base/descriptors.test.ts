import { spawnSync } from "node:child_process";
import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../store/lmdb-database.ts";
import { inheritable, withoutInherited } from "./descriptors.ts";

let directory: string;
let database: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tally-descriptors-"));
  database = openDatabase(directory);
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

test("a program inherits lmdb's database, but not its other files or those of Node", () => {
  const files = inheritable().map((descriptor) => readlinkSync(`/proc/self/fd/${descriptor}`));
  expect(files.filter((file) => file.startsWith(directory))).toEqual([join(directory, "data.mdb")]);
});

test("a program gets /dev/null instead of each file that it would inherit", () => {
  const list = ["-c", "ls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) -> /\\1 /p'"];
  const open = withoutInherited(["ignore", "pipe", "ignore"], (stdio) =>
    spawnSync("sh", list, { stdio, encoding: "utf8" }),
  ).stdout.split("\n");
  const above = open.filter((line) => Number.parseInt(line, 10) > 3);
  expect(above.length).toBe(inheritable().length);
  expect(above.filter((line) => !line.endsWith(" /dev/null"))).toEqual([]);
});
