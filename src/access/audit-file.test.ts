import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NOBODY, withoutNobody } from "../../test/support/nobody.ts";
import { silentLog } from "../base/log.ts";
import { openAuditFile } from "./audit-file.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-audit-"));
  file = path.join(directory, "audit.log");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function note(event: object): Promise<void> {
  const audit = await openAuditFile(file, silentLog);
  audit.note(event);
  await audit.close();
}

test("events are appended to a file that only its owner can read", async () => {
  await note({ a: 1 });
  await note({ b: 2 });
  expect(readFileSync(file, "utf8")).toBe('{"a":1}\n{"b":2}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a file of our own that others could read is closed to them", async () => {
  writeFileSync(file, "old\n");
  chmodSync(file, 0o666);
  await note({ a: 1 });
  expect(readFileSync(file, "utf8")).toBe('old\n{"a":1}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each<[string, () => void, string]>([
  [
    "a symbolic link",
    () => {
      writeFileSync(path.join(directory, "other"), "");
      symlinkSync("other", file);
    },
    "is a symbolic link, which is not followed, because another user may have made it",
  ],
  ["a link to nothing", () => symlinkSync("nothing", file), "is a symbolic link"],
  ["a FIFO that nobody reads", () => void execFileSync("mkfifo", [file]), "is not a regular file"],
  ["a directory", () => mkdirSync(file), "is a directory"],
  [
    "a hard link",
    () => {
      writeFileSync(path.join(directory, "other"), "");
      linkSync(path.join(directory, "other"), file);
    },
    "has another name (a hard link)",
  ],
])("%s is refused", async (_, plant, why) => {
  plant();
  await expect(openAuditFile(file, silentLog)).rejects.toThrow(`--audit-log ${file} ${why}`);
});

describe.skipIf(withoutNobody !== "")(`another user ${withoutNobody}`, () => {
  test("a file of another user is refused", async () => {
    writeFileSync(file, "");
    chownSync(file, NOBODY, NOBODY);
    const why = "belongs to another user (65534, you are 0), who could read or change";
    await expect(openAuditFile(file, silentLog)).rejects.toThrow(`--audit-log ${file} ${why}`);
  });
});
