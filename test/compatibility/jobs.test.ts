/** Differences between the Job controllers of Tally and Kubernetes; see docs/compatibility.md. */
import { expect, test } from "vitest";
import { events } from "../../src/api/resources.ts";
import { aJobCluster } from "../builders/job-cluster.ts";

test("a Job that waits after failures has an event that says how long and why", async () => {
  const cluster = await aJobCluster({ backoff: { firstMs: 10_000, maxMs: 60_000 } });
  await cluster.create({ completions: 1, backoffLimit: 6 });
  await cluster.end("Failed");
  const { items } = await cluster.client.list(events, { namespace: "default" });
  const told = items.filter(({ reason }) => reason === "BackOff");
  expect(told.map(({ message }) => message)).toEqual([
    "Waiting 10s before creating pods: 1 pod failed since the last success",
  ]);
});
