/** A Job that waits after failures reports it in an event. */
import { afterEach, expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";
import { runTally } from "../support/tally.ts";

let cluster: Cluster;
afterEach(() => cluster.dispose());

test("describe shows how long a Job waits before it creates pods again", async () => {
  cluster = await Cluster.start({ args: ["--job-backoff-base=10m"] });
  await cluster.createJob("j", { completions: 1 }, { containers: [script("exit 1")] });
  const message = "Waiting 10m before creating pods: 1 pod failed since the last success";
  await until(async () => (await cluster.eventsOf("j")).includes(`BackOff: ${message}`));
  const args = ["describe", "job", "j", "--kubeconfig", cluster.tally.kubeconfig];
  const { code, out } = await runTally(args);
  expect(code).toBe(0);
  expect(out).toMatch(/Normal +BackOff +\S+ +job-controller +Waiting 10m before creating pods: /);
});
