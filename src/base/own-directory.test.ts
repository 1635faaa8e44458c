import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ensureOwnDirectory,
  ensureOwnFolder,
  NotOwnDirectory,
  refuseOthersFile,
} from "./own-directory.ts";

const uid = process.geteuid?.() ?? 0;
let directory: string;
let told: string[];
const check = { tell: (notice: string) => told.push(notice) };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tally-own-"));
  told = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const modeOf = (...names: readonly string[]) =>
  (lstatSync(join(directory, ...names)).mode & 0o777).toString(8);

test("a missing directory is accepted", () => {
  expect(ensureOwnDirectory(join(directory, "none"))).toBe(false);
});

test("a directory of another owner is rejected, with both users and what to do", () => {
  const other = { uid: uid + 1 };
  expect(() => ensureOwnDirectory(directory, other)).toThrow(NotOwnDirectory);
  expect(() => ensureOwnDirectory(directory, other)).toThrow(
    `${directory} belongs to another user (${uid}, you are ${uid + 1}), who could run ` +
      "commands as you through it: choose a directory of your own with --data, or start " +
      "Tally as that user",
  );
});

test("a symbolic link is rejected, with its target", () => {
  symlinkSync("../elsewhere", join(directory, "store"));
  expect(() => ensureOwnDirectory(directory)).toThrow(
    /store is a symbolic link, .*\(it points to .*\/elsewhere\)$/,
  );
});

test("only entries with Tally's names are checked in a data directory", () => {
  symlinkSync("../elsewhere", join(directory, "photos"));
  mkdirSync(join(directory, "music"));
  chmodSync(join(directory, "music"), 0o777);
  mkdirSync(join(directory, "store"));
  expect(ensureOwnDirectory(directory, check)).toBe(true);
  expect(modeOf("music")).toBe("777");
  expect(() => ensureOwnFolder(directory)).toThrow("photos is a symbolic link");
});

test("a directory that is open to others and contains nothing of Tally is unchanged", () => {
  writeFileSync(join(directory, "file"), "");
  chmodSync(directory, 0o777);
  expect(ensureOwnDirectory(directory, check)).toBe(true);
  expect([modeOf(), told]).toEqual(["777", []]);
});

test("directories that others could write to are closed and checked, except those of pods", () => {
  for (const name of ["store/deep", "volumes/pod"]) {
    mkdirSync(join(directory, name), { recursive: true });
  }
  for (const name of ["store", "store/deep", "volumes", "volumes/pod"]) {
    chmodSync(join(directory, name), 0o777);
  }
  ensureOwnDirectory(directory, check);
  expect(["store", "volumes", "volumes/pod"].map((name) => modeOf(name))).toEqual([
    ...["700", "700", "777"],
  ]);
  expect(modeOf("store/deep")).toBe("700");
  expect(told).toHaveLength(3);
});

test("a symbolic link below a directory that others could write to is found", () => {
  mkdirSync(join(directory, "store"));
  symlinkSync("/etc/passwd", join(directory, "store", "data.mdb"));
  expect(ensureOwnDirectory(directory, check)).toBe(true);
  chmodSync(join(directory, "store"), 0o777);
  expect(() => ensureOwnDirectory(directory, check)).toThrow("data.mdb is a symbolic link");
});

test("a file of another owner is rejected, and our own symbolic link is followed", () => {
  const file = join(directory, "kubeconfig");
  refuseOthersFile(file);
  writeFileSync(file, "");
  symlinkSync(file, join(directory, "link"));
  refuseOthersFile(join(directory, "link"));
  expect(() => refuseOthersFile(file, uid + 1)).toThrow("belongs to another user");
});
