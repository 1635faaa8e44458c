import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { passingSigningKey, storedSigningKey } from "./signing-key.ts";

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-key-"));
  file = join(directory, "service-accounts.key");
});
afterEach(() => rm(directory, { recursive: true }));

test("the key is created at first use, readable only by its owner, and kept", async () => {
  const key = storedSigningKey(file);
  expect(await readdir(directory)).toEqual([]);
  const signature = key.sign("text");
  expect(await readdir(directory)).toEqual(["service-accounts.key"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const again = storedSigningKey(file);
  expect(again.verify("text", signature)).toBe(true);
  expect(again.verify("other", signature)).toBe(false);
  expect(again.keyId).toBe(key.keyId);
});

test("a key rejects signatures of another key", () => {
  const signature = passingSigningKey().sign("text");
  expect(passingSigningKey().verify("text", signature)).toBe(false);
});

test("the error for an invalid key file contains its path but not its contents", async () => {
  await writeFile(file, "a secret");
  expect(() => storedSigningKey(file).keyId).toThrow(
    `${file} contains no usable key (delete it to create a new one)`,
  );
});

test("the published part of a key contains nothing private", () => {
  expect(Object.keys(passingSigningKey().publicKey).sort()).toEqual(
    ["alg", "crv", "kid", "kty", "use", "x", "y"].sort(),
  );
});
