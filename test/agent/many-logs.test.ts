/** Following the logs of many pods concurrently. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, until } from "./cluster.ts";
import { follow } from "./followed.ts";

const PODS = 100;

let cluster: Cluster;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-many-logs-"));
  cluster = await Cluster.start();
});
afterAll(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

test("the logs of a hundred pods are followed from the first line to the last", async () => {
  const spec = { completions: PODS, parallelism: PODS };
  const go = path.join(directory, "go");
  const wait = `until [ -e ${go} ]; do sleep 0.2; done`;
  const text = `echo begin; ${wait}; for i in 1 2 3; do echo $JOB_COMPLETION_INDEX $i; done`;
  await cluster.createJob("many", spec, { containers: [script(text)] });
  await until(async () => (await cluster.findJob("many")).status.ready === PODS);
  const pods = await cluster.podsOf("many");
  const followers = await Promise.all(
    pods.map(({ metadata }) => follow(cluster.tally, metadata.name ?? "")),
  );
  writeFileSync(go, "");
  const logs = await Promise.all(followers.map(({ ended }) => ended));
  for (const [place, { metadata }] of pods.entries()) {
    const index = metadata.labels?.["batch.kubernetes.io/job-completion-index"];
    expect(logs[place]).toBe(`begin\n${index} 1\n${index} 2\n${index} 3\n`);
  }
  expect((await cluster.finished("many")).status.succeeded).toBe(PODS);
});
