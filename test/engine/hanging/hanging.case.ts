/**
 * Tests that wait for something that never happens: diagnostics.test.ts runs them and checks the
 * output.
 */
import { afterAll, beforeAll, test } from "vitest";
import { Cluster, script } from "../../agent/cluster.ts";
import { poll } from "../../support/poll.ts";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.createPod("stays", { containers: [script("exec sleep 3600")] });
  await cluster.podThat("stays", ({ status }) => status.phase === "Running");
});

afterAll(() => cluster.dispose());

test("a pod ends that never does", { timeout: 2000 }, async () => {
  await cluster.over("stays");
});

test("a pod ends that never does, polled for", { timeout: 180_000 }, async () => {
  const phase = async () => (await cluster.findPod("stays"))?.status.phase;
  await poll(phase, { timeout: 100 }).toBe("Succeeded");
});
