import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AttemptEnd } from "../follow/attempt.ts";
import { fileLogs, readTail } from "./file-logs.ts";
import { ItemOutput } from "./item-output.ts";
import type { RunConsole } from "./reporter.ts";

let dataDir: string;
let written: string;
const console: RunConsole = {
  writeBytes: async (bytes) => {
    written += `${Buffer.from(bytes)}`;
  },
  writeErrorBytes: async (bytes) => {
    written += `!${Buffer.from(bytes)}`;
  },
  writeError: (text) => {
    written += `!${text}`;
  },
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "tally-output-"));
  mkdirSync(join(dataDir, "logs"), { recursive: true });
  written = "";
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function ended(index: number, out: string, err = ""): AttemptEnd {
  const end: AttemptEnd = {
    index,
    item: undefined,
    attempt: 1,
    pod: { namespace: "default", name: `p-${index}`, uid: `u${index}` },
    containers: [{ container: "main", restarts: 0 }],
    startedMs: undefined,
    endedMs: undefined,
    outcome: "Succeeded",
    exitCode: 0,
    signal: undefined,
    reason: undefined,
    message: undefined,
  };
  const [files] = fileLogs(dataDir).filesOf(end) ?? [];
  if (files && out !== "") writeFileSync(files.out, out);
  if (files && err !== "") writeFileSync(files.err, err);
  return end;
}

test("the output of each item is printed as a whole, then its stderr", async () => {
  const output = new ItemOutput({ console, logs: fileLogs(dataDir), remark: () => "" });
  output.add(ended(1, "one\n"));
  output.add(ended(0, "zero\n", "careful\n"));
  output.add(ended(2, ""));
  await output.finish();
  expect(written).toBe("one\nzero\n!careful\n");
});

test("output is printed in the order of the list with --keep-order", async () => {
  const order = { isSettled: () => false };
  const output = new ItemOutput({ console, logs: fileLogs(dataDir), order, remark: () => "" });
  for (const index of [2, 0, 1]) output.add(ended(index, `${index}\n`));
  await output.finish();
  expect(written).toBe("0\n1\n2\n");
});

test("the remark about an item follows its output", async () => {
  const output = new ItemOutput({
    console,
    logs: fileLogs(dataDir),
    remark: ({ index }) => `about ${index}`,
  });
  output.add(ended(0, "zero\n"));
  output.add(ended(1, "one\n"));
  await output.finish();
  expect(written).toBe("zero\n!about 0\none\n!about 1\n");
});

test("a long output is copied in pieces, unchanged", async () => {
  const long = "0123456789".repeat(100_000);
  const output = new ItemOutput({ console, logs: fileLogs(dataDir), remark: () => "" });
  output.add(ended(0, "before\n"));
  output.add(ended(1, long));
  await output.finish();
  expect(written).toBe(`before\n${long}`);
});

test("readTail returns the end of a growing file, and nothing if it is missing", () => {
  const file = join(dataDir, "x");
  writeFileSync(file, "abcdef");
  expect(readTail(file, 3).toString()).toBe("def");
  expect(readTail(join(dataDir, "missing"), 3).toString()).toBe("");
});
