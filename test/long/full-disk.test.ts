import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Mortal, wholeProgram } from "../durability/crash-life.ts";
import { fillDisk } from "../durability/full-disk-life.ts";
import { smallDisk } from "../durability/small-disk.ts";
import { startTally } from "../support/tally.ts";

const disk = smallDisk(12);
afterAll(() => disk.dispose());

test.skipIf(!disk.isMounted)("tally up survives a disk that fills up [needs mount]", async () => {
  // With another port the server would write another kubeconfig, for which there is no room.
  const port = String(await freePort());
  const mortal: Mortal = {
    ...wholeProgram,
    start: (dataDir) => startTally({ dataDir, hasAgent: true, args: ["--port", port] }),
  };
  const report = await fillDisk(mortal, disk);
  // A killed server leaves its spawner running: another start and stop ends it.
  const last = await startTally({ dataDir: join(disk.path, "data"), hasAgent: true });
  expect(await last.stop()).toBe(0);
  process.stdout.write(`${JSON.stringify({ ...report, refusal: report.refusal?.text })}\n`);
  expect(report.problems).toEqual([]);
  expect(report.refusal?.json.message).toContain("no space left on");
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      server.close(() => resolve(port));
    });
  });
}
