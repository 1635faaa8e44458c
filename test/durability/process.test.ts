import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { keyOf } from "./objects.ts";

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/child.ts");
});
afterAll(() => compiled.dispose());

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-process-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
});

test("a second process is rejected, with the pid of the first", async () => {
  const holder = start("hold");
  await holder.next();
  const refused = await start("hold").next();
  expect(refused).toBe(
    `failed the data directory ${dataDir} is in use by process ${holder.child.pid}`,
  );
  await expect(openStore({ dataDir })).rejects.toThrow(`process ${holder.child.pid}`);
});

test("the lock of a killed process is taken over", async () => {
  const holder = start("hold");
  await holder.next();
  await holder.kill();
  expect(await start("hold").next()).toMatch(/^open/);
});

test("durable writes survive kill -9, and new writes get higher revisions", async () => {
  const acknowledged = new Set<string>();
  let highest = 0;
  for (const patience of [1, 40, 300, 1500]) {
    const writer = start("storm");
    for (let line = 0; line < patience; line++) {
      const [what, revision, name] = (await writer.next()).split(" ");
      expect(Number(revision)).toBeGreaterThanOrEqual(highest);
      if (what === "durable" && name) acknowledged.add(name);
    }
    for (const line of await writer.kill()) {
      const [, revision, name] = line.split(" ");
      highest = Math.max(highest, Number(revision));
      if (name) acknowledged.add(name);
    }
  }
  const store = await openStore({ dataDir });
  expect(store.revision).toBeGreaterThanOrEqual(highest);
  const missing = [...acknowledged].filter((name) => !store.get(keyOf(name)));
  expect(missing).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(1800);
  await store.close();
});

function start(role: string) {
  const child = spawn(process.execPath, [compiled.child, role, dataDir]);
  children.push(child);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async (): Promise<string> => String((await lines.next()).value),
    /** Sends SIGKILL; returns the lines that were still printed before. */
    kill: async (): Promise<string[]> => {
      child.kill("SIGKILL");
      const rest: string[] = [];
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        rest.push(line.value);
      }
      await ended;
      return rest;
    },
  };
}
