import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";

let dataDir: string;
const running: Tally[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-up-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((tally) => tally.dispose()));
  await rm(dataDir, { recursive: true, force: true });
});

async function up(...args: string[]): Promise<Tally> {
  const tally = await startTally({ dataDir, args: ["--no-agent", ...args] });
  running.push(tally);
  return tally;
}

test("a second process on the same data prints the reason and exits with 1", async () => {
  await up();
  const refused = await up().catch((error: Error) => error.message);
  expect(refused).toContain("ended with 1");
  expect(refused).toContain(
    `tally up: ${dataDir} is in use by another tally up (use --data for a second one)`,
  );
});

test("SIGTERM ends the server with 0, and the next start has all objects", async () => {
  const first = await up();
  const maps = "/api/v1/namespaces/default/configmaps";
  expect((await first.call("POST", maps, { metadata: { name: "a" } })).status).toBe(201);
  expect(await first.stop()).toBe(0);
  const second = await up();
  expect((await second.call("GET", `${maps}/a`)).status).toBe(200);
  expect(second.token).toBe(first.token);
});

test("a port in use is reported with a way around it, and the exit code is 1", async () => {
  const first = await up();
  const other = await mkdtemp(join(tmpdir(), "tally-up-"));
  const { port } = new URL(first.url);
  const refused = await startTally({ dataDir: other, args: ["--port", port] }).catch(
    (error: Error) => error.message,
  );
  expect(refused).toContain("ended with 1");
  expect(refused).toContain(
    `tally up: port ${port} on 127.0.0.1 is in use (use --port 0 for a free one)`,
  );
  await rm(other, { recursive: true });
});
