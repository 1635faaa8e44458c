import { cp, mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES, tear } from "../durability/torn-files.ts";
import { startTally } from "../support/tally.ts";

test.each(Object.keys(FILES))("%s can be truncated after any byte", async (file) => {
  const report = await tear(file, 1);
  process.stdout.write(`${JSON.stringify({ file, ...report })}\n`);
  expect(report.problems).toEqual([]);
});

test("a server with a truncated file starts, or reports which file is unusable", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tally-torn-server-"));
  const lived = join(directory, "lived");
  const tally = await startTally({ dataDir: lived, hasAgent: true });
  const account = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const token = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  expect((await tally.call("POST", account, token)).status).toBe(201);
  await tally.stop();
  const outcomes: string[] = [];
  for (const file of await filesIn(lived)) {
    const { size } = await stat(join(lived, file));
    for (const length of new Set([0, Math.floor(size / 2), Math.max(0, size - 1)])) {
      const dataDir = join(directory, "torn");
      await cp(lived, dataDir, { recursive: true, filter: isPlain });
      await truncate(join(dataDir, file), length);
      outcomes.push(`${file} ${length} of ${size}: ${await outcomeOf(dataDir, file)}`);
      await rm(dataDir, { recursive: true, force: true });
    }
  }
  await rm(directory, { recursive: true, force: true });
  process.stdout.write(`${outcomes.join("\n")}\n`);
  expect(outcomes.filter((outcome) => outcome.includes("unexplained"))).toEqual([]);
});

async function outcomeOf(dataDir: string, file: string): Promise<string> {
  try {
    const tally = await startTally({ dataDir, hasAgent: true });
    const { status } = await tally.call("GET", "/api/v1/namespaces/default/configmaps");
    await tally.stop();
    return status === 200 ? "ready" : `unexplained: ${status}`;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const isNamed = text.includes(join(dataDir, file)) && !/\n +at /.test(text);
    return isNamed ? "refused by name" : `unexplained: ${text}`;
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== "lock.mdb")
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
}

/** A socket cannot be copied; the process that listens on it creates it. */
function isPlain(path: string): boolean {
  return !path.endsWith(".sock");
}
