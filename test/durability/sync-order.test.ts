import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { hasTool } from "../support/debian-tool.ts";

/** strace may be missing, and a container may forbid tracing. */
const canTrace =
  hasTool("strace") && spawnSync("strace", ["-f", "-e", "trace=write", "true"]).status === 0;

let compiled: Compiled;
let directory: string;
beforeAll(async () => {
  compiled = await compileChild("test/durability/child.ts");
  directory = await mkdtemp(join(tmpdir(), "tally-sync-order-"));
});
afterAll(async () => {
  await compiled.dispose();
  await rm(directory, { recursive: true, force: true });
});

test.skipIf(!canTrace)(
  "a write is reported durable only after its pages and its commit are synced [needs strace]",
  async () => {
    const calls = await traceWrites();
    // Between two marks there may only be complete commits: pages, their sync, the commit itself.
    const between = calls
      .map(({ letter }) => letter)
      .join("")
      .split("m")
      .slice(0, -1);
    expect(between).toHaveLength(25);
    for (const [index, letters] of between.entries()) {
      // The first five writes wait for each other, so each of them needs its own commit.
      const pattern = index < 5 ? /^(d+sc)+$/ : /^(d+sc)*$/;
      expect(letters, `before mark ${index}`).toMatch(pattern);
    }
  },
);

interface Call {
  /** d: data, s: sync, c: commit, m: mark, or "" for any other call. */
  readonly letter: "d" | "s" | "c" | "m" | "";
}

async function traceWrites(): Promise<Call[]> {
  const log = join(directory, "strace.log");
  const trace = "trace=openat,fdatasync,fsync,msync,pwrite64,pwritev,write,writev,close";
  const command = [process.execPath, compiled.child, "write", join(directory, "data")];
  await promisify(execFile)("strace", ["-f", "-e", trace, "-o", log, ...command]);
  const lines = joinInterrupted((await readFile(log, "utf8")).split("\n"));
  const files = new Map<string, "data" | "commit">();
  return lines.map((text) => classify(text, files));
}

/**
 * strace splits a call in two lines if another thread made a call meanwhile. Both lines stand for
 * the call: what matters is when a write began and when a sync or a commit had ended.
 */
function joinInterrupted(lines: readonly string[]): string[] {
  const begun = new Map<string, string>();
  return lines.map((line) => {
    const [pid, call] = splitOnce(line);
    if (call.startsWith("<... ")) return begun.get(pid) + call.slice(call.indexOf(">") + 1);
    begun.set(pid, call.replace("<unfinished ...>", ""));
    return call;
  });
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(" ");
  return [line.slice(0, at), line.slice(at + 1).trim()];
}

/** The database is open twice: normally for pages, and with O_DSYNC for commits. */
function classify(text: string, files: Map<string, "data" | "commit">): Call {
  if (text.startsWith('write(1, "durable')) return { letter: "m" };
  const opened = /data\.mdb", (.*)\) += (\d+)$/.exec(text);
  if (opened?.[2]) files.set(opened[2], opened[1]?.includes("O_DSYNC") ? "commit" : "data");
  const [, name = "", file = ""] = /^(\w+)\((\d+)/.exec(text) ?? [];
  const target = files.get(file);
  if (name === "close") files.delete(file);
  if (!target) return { letter: "" };
  const isDone = / = \d+$/.test(text);
  if (name === "fdatasync" || name === "fsync") return { letter: isDone ? "s" : "" };
  if (!/^p?writev?(64)?$/.test(name)) return { letter: "" };
  if (target === "commit") return { letter: isDone ? "c" : "" };
  return { letter: "d" };
}
