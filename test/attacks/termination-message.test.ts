/** A container that fills the disk with its termination message. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster, script, stateOf, until } from "../agent/cluster.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

const KIB = 1024;
const WRITE = "yes attack | head -c 20000000 >> /dev/termination-log";

describe.skipIf(withoutSandboxes !== "")(`a termination message ${withoutSandboxes}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.dispose());

  function bytesOnDisk(pod: string): number {
    const directory = path.join(cluster.tally.dataDir, "logs");
    const name = readdirSync(directory).find((each) => {
      return each.includes(`_${pod}_`) && each.endsWith(".message");
    });
    return statSync(path.join(directory, name ?? "")).blocks * 512;
  }

  const create = (name: string, text: string) =>
    cluster.createPod(name, { runtimeClassName: "sandbox", containers: [script(text)] });

  test("is cut while its container runs, even if the container prints nothing", async () => {
    await create("runs", `sleep 1; while :; do ${WRITE}; sleep 1; done`);
    await cluster.podThat("runs", (pod) => stateOf(pod)?.running !== undefined);
    await until(async () => bytesOnDisk("runs") > 16 * KIB);
    await until(async () => bytesOnDisk("runs") <= 16 * KIB);
  });

  test("is cut to the length that is read when its container has ended", async () => {
    await create("ends", `${WRITE}; exit 1`);
    const { message } = stateOf(await cluster.over("ends"))?.terminated ?? {};
    expect(message).toHaveLength(4096);
    expect(bytesOnDisk("ends")).toBeLessThanOrEqual(4 * KIB);
  });
});
