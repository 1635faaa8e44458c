import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockDirectory } from "./directory-lock.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-lock-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("one process at a time can lock a directory, until it releases the lock", async () => {
  const lock = await lockDirectory(directory);
  const refused = lockDirectory(directory);
  await expect(refused).rejects.toThrow(`${directory} is in use by this process (${process.pid})`);
  await lock.release();
  const next = await lockDirectory(directory);
  await next.release();
  expect(await readdir(join(directory, "lock"))).toEqual([]);
});

test("of concurrent attempts at most one succeeds", async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, () => lockDirectory(directory)),
  );
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test.skipIf(process.platform !== "linux")(
  "the lock file of a dead process with the same pid is removed [needs /proc]",
  async () => {
    const lock = await lockDirectory(directory);
    const [own = ""] = await readdir(join(directory, "lock"));
    await lock.release();
    const [pid, start, boot] = own.split("-");
    const stale = [
      `${pid}-${Number(start) - 1}-${boot}`,
      `${pid}-${start}-00000000`,
      `4194305-${start}-${boot}`,
      "garbage",
    ];
    for (const name of stale) await writeFile(join(directory, "lock", name), "");
    const next = await lockDirectory(directory);
    expect(await readdir(join(directory, "lock"))).toEqual([own]);
    await next.release();
  },
);
