/** A node that stops responding: its pods are handled as in Kubernetes. */
import { afterEach, expect, test } from "vitest";
import type { Node, Pod } from "../../src/api/generated/core.ts";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { startTallyAgent, type TallyAgent } from "../support/tally-agent.ts";

const CONTROLLERS = "job,scheduler,nodelifecycle,tainteviction,podgc,serviceaccount";
const GRACE = "15s";
const TOLERATED_SECONDS = 2;

const opened: { dispose(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.dispose();
});

async function start(): Promise<{ tally: Tally; lost: TallyAgent }> {
  const args = ["--controllers", CONTROLLERS, "--node-monitor-grace-period", GRACE];
  const tally = await startTally({ args });
  opened.push(tally);
  const [lost, kept] = await Promise.all(
    ["lost", "kept"].map((nodeName) => startTallyAgent(tally, { nodeName })),
  );
  if (!lost || !kept) throw new Error("there is no agent");
  opened.push(lost, kept);
  return { tally, lost };
}

async function createJob(tally: Tally, name: string, podReplacementPolicy: string): Promise<void> {
  const toleration = { key: "node.kubernetes.io/unreachable", operator: "Exists" };
  const spec = {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    tolerations: [{ ...toleration, effect: "NoExecute", tolerationSeconds: TOLERATED_SECONDS }],
    containers: [{ name: "c", image: "none", command: ["sleep", "600"] }],
  };
  const answer = await tally.call("POST", "/apis/batch/v1/namespaces/default/jobs", {
    metadata: { name },
    spec: {
      completions: 4,
      parallelism: 4,
      completionMode: "Indexed",
      podReplacementPolicy,
      template: { spec },
    },
  });
  expect(answer.status).toBe(201);
}

async function podsOf(tally: Tally, job: string): Promise<readonly Pod[]> {
  const query = encodeURIComponent(`batch.kubernetes.io/job-name=${job}`);
  const answer = await tally.call("GET", `/api/v1/namespaces/default/pods?labelSelector=${query}`);
  return answer.json.items;
}

/** One entry for each pod, sorted: "lost Running", "kept Running" or "lost Running going". */
async function sightOf(tally: Tally, job: string): Promise<readonly string[]> {
  const seen = (await podsOf(tally, job)).map(({ metadata, spec, status }) => {
    const going = metadata.deletionTimestamp === undefined ? "" : " going";
    return `${spec.nodeName} ${status.phase}${going}`;
  });
  return seen.sort();
}

const PATIENCE = { timeout: 60_000, interval: 500 };
const [RUNS, LOST, GOING] = ["kept Running", "lost Running", "lost Running going"];

test("pods of a lost node are evicted and replaced, and end when it returns", async () => {
  const { tally, lost } = await start();
  await createJob(tally, "at-once", "TerminatingOrFailed");
  await createJob(tally, "when-failed", "Failed");
  for (const job of ["at-once", "when-failed"]) {
    await poll(() => sightOf(tally, job), PATIENCE).toEqual([RUNS, RUNS, LOST, LOST]);
  }
  await lost.kill();

  const replaced = [RUNS, RUNS, RUNS, RUNS, GOING, GOING];
  await poll(() => sightOf(tally, "at-once"), PATIENCE).toEqual(replaced);
  expect(await sightOf(tally, "when-failed")).toEqual([RUNS, RUNS, GOING, GOING]);
  const { json: body } = await tally.call("GET", "/api/v1/nodes/lost");
  const node: Node = body;
  expect(node.status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "Unknown",
    reason: "NodeStatusUnknown",
  });
  const taints = (node.spec.taints ?? []).map(({ key, effect }) => `${key} ${effect}`);
  expect(taints.sort()).toEqual([
    "node.kubernetes.io/unreachable NoExecute",
    "node.kubernetes.io/unreachable NoSchedule",
  ]);
  const driven = (await podsOf(tally, "at-once")).filter(({ spec }) => spec.nodeName === "lost");
  for (const { status } of driven) {
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
    );
  }

  opened.push(await startTallyAgent(tally, { nodeName: "lost", dataDir: lost.dataDir }));
  const running = (job: string) => async () =>
    (await sightOf(tally, job)).filter((each) => each.endsWith("Running"));
  await poll(running("at-once"), PATIENCE).toHaveLength(4);
  // The pods that were waited for have failed, so now they are replaced.
  await poll(running("when-failed"), PATIENCE).toHaveLength(4);
}, 180_000);
