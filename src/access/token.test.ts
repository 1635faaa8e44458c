import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureToken, tokenVerifier } from "./token.ts";

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-token-"));
  file = join(directory, "token");
});
afterEach(() => rm(directory, { recursive: true }));

test("a token has 256 bits, is readable only by its owner and stays the same", async () => {
  const token = await ensureToken(file);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await ensureToken(file)).toBe(token);
});

test("two data directories have different tokens", async () => {
  expect(await ensureToken(file)).not.toBe(await ensureToken(`${file}-2`));
});

test("no token starts with a dash", async () => {
  const files = Array.from({ length: 500 }, (_, number) => `${file}-${number}`);
  const tokens = await Promise.all(files.map(ensureToken));
  expect(tokens.filter((token) => token.startsWith("-"))).toEqual([]);
});

test("a token file that others can read is made private", async () => {
  await ensureToken(file);
  await chmod(file, 0o644);
  await ensureToken(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each(["", "short", `${"x".repeat(40)}\nsecond line`])(
  "%j is rejected as a token",
  async (text) => {
    await writeFile(file, text, { mode: 0o600 });
    await expect(ensureToken(file)).rejects.toThrow("contains no usable token");
    expect(await readFile(file, "utf8")).toBe(text);
  },
);

test("only the exact token is accepted", () => {
  const accepts = tokenVerifier("right-token");
  const given = ["right-token", "right-toke", "right-token ", "Right-token", ""];
  expect(given.map(accepts)).toEqual([true, false, false, false, false]);
});
