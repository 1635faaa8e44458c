import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { hasTool } from "../support/debian-tool.ts";

/** strace may be missing or too old, and a container may forbid tracing. */
const inject = ["-f", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"];
const canInject = hasTool("strace") && spawnSync("strace", [...inject, "true"]).status === 0;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/child.ts");
});
afterAll(() => compiled.dispose());

test.skipIf(!canInject).each([
  ["the sync of pages", "fdatasync:error=EIO:when=3+4"],
  ["the write of several pages", "writev:error=EIO:when=5+4"],
  ["the write of several pages on a full disk", "writev:error=ENOSPC:when=5+4"],
])("after %s fails, the next write is tried and succeeds [needs strace]", async (_, fault) => {
  const dataDir = await mkdtemp(join(tmpdir(), "tally-disk-errors-"));
  const args = ["-f", "-o", "/dev/null", "-e", `trace=${fault.split(":")[0]}`];
  const command = [process.execPath, compiled.child, "insist", dataDir];
  const { stdout } = await promisify(execFile)("strace", [
    ...args,
    "-e",
    `inject=${fault}`,
    ...command,
  ]);
  const lines = stdout.trim().split("\n");
  const lost = lines.filter((line) => line.startsWith("lost"));
  expect(lost.length).toBeGreaterThan(0);
  const reason = fault.includes("ENOSPC") ? "no space left on" : "input/output error on";
  for (const line of lost) expect(line).toContain(`${reason} ${dataDir}`);
  expect(lines.filter((line) => line.startsWith("durable"))).toHaveLength(30);

  const store = await openStore({ dataDir });
  expect(store.count("configmaps")).toBe(30);
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});
