/** Agents in their own processes, on a server without a node of its own. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pod } from "../../src/api/generated/core.ts";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { startTallyAgent, type TallyAgent } from "../support/tally-agent.ts";

const CONTROLLERS = "job,scheduler,nodelifecycle,tainteviction,serviceaccount,endpoints";
let tally: Tally;
let agents: TallyAgent[];

beforeAll(async () => {
  tally = await startTally({ args: ["--controllers", CONTROLLERS] });
  agents = await Promise.all(
    ["one", "two"].map((nodeName) => startTallyAgent(tally, { nodeName })),
  );
});

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.dispose()));
  await tally.dispose();
});

async function podsOf(job: string): Promise<readonly Pod[]> {
  const query = encodeURIComponent(`batch.kubernetes.io/job-name=${job}`);
  const answer = await tally.call("GET", `/api/v1/namespaces/default/pods?labelSelector=${query}`);
  return answer.json.items;
}

async function runJob(name: string, command: readonly string[]): Promise<readonly Pod[]> {
  const container = { name: "c", image: "none", command };
  const created = await tally.call("POST", "/apis/batch/v1/namespaces/default/jobs", {
    metadata: { name },
    spec: {
      completions: 4,
      parallelism: 4,
      completionMode: "Indexed",
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  });
  expect(created.status).toBe(201);
  await poll(async () => (await podsOf(name)).map(({ status }) => status.phase)).toEqual(
    Array(4).fill("Succeeded"),
  );
  return podsOf(name);
}

describe("two agents on one server", () => {
  test("share the pods of a Job, and the server serves the logs of both", async () => {
    const pods = await runJob("shared", ["sh", "-c", "echo index $JOB_COMPLETION_INDEX"]);
    expect([...new Set(pods.map(({ spec }) => spec.nodeName))].sort()).toEqual(["one", "two"]);
    expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(4);
    const logs = await Promise.all(
      pods.map(({ metadata }) =>
        tally.call("GET", `/api/v1/namespaces/default/pods/${metadata.name}/log`),
      ),
    );
    expect(logs.map(({ text }) => text).sort()).toEqual([0, 1, 2, 3].map((at) => `index ${at}\n`));
  });

  test("are both ready nodes, and publish where the server reaches them", async () => {
    const { json: body } = await tally.call("GET", "/api/v1/nodes");
    for (const { metadata, status } of body.items) {
      expect(metadata.annotations["tallyjob.io/node-authority"]).toContain("BEGIN CERTIFICATE");
      expect(status.daemonEndpoints.kubeletEndpoint.Port).toBeGreaterThan(0);
      const ready = status.conditions.find(({ type }: { type: string }) => type === "Ready");
      expect(ready.status).toBe("True");
    }
  });
});

test("a second agent in the same directory is rejected", async () => {
  const dataDir = agents[0]?.dataDir ?? "";
  const second = startTallyAgent(tally, { nodeName: "three", dataDir });
  await expect(second).rejects.toThrow("is in use by process");
});
