/** Pods that are evicted or preempted: their processes end, and their Jobs see the reason. */
import { availableParallelism } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { markedProcesses } from "../support/marked-processes.ts";
import { Cluster, script, until } from "./cluster.ts";

const MARK = "DISRUPTION_TEST";
const CORE = "/api/v1/namespaces/default";
const onPodConditions = [{ type: "DisruptionTarget" }];
const IGNORING = { rules: [{ action: "Ignore", onPodConditions }] };

let cluster: Cluster;
let mark: string;
beforeAll(async () => {
  cluster = await Cluster.start({ args: ["--job-backoff-base=10ms"] });
});
afterAll(() => cluster.dispose());
beforeEach(() => {
  mark = `${process.pid}-${performance.now()}`;
});
afterEach(async () => {
  for (const kind of ["/apis/batch/v1/namespaces/default/jobs", `${CORE}/pods`]) {
    await cluster.tally.call("DELETE", `${kind}?propagationPolicy=Background`);
  }
  await until(async () => (await pods()).length === 0);
});

const sleeper = (fields: object = {}) =>
  script("exec sleep 3600", { env: [{ name: MARK, value: mark }], ...fields });
const processes = () => markedProcesses(MARK, mark).length;

async function pods(selector = ""): Promise<readonly { metadata: { name: string } }[]> {
  return (await cluster.tally.call("GET", `${CORE}/pods?labelSelector=${selector}`)).json.items;
}

async function taint(...taints: readonly object[]): Promise<void> {
  const [node] = (await cluster.tally.call("GET", "/api/v1/nodes")).json.items;
  const headers = { "Content-Type": "application/merge-patch+json" };
  const path = `/api/v1/nodes/${node.metadata.name}`;
  await cluster.tally.call("PATCH", path, { spec: { taints } }, headers);
}

test("a taint evicts pods that do not tolerate it, until it is removed", async () => {
  const job = { completions: 1, backoffLimit: 0, podFailurePolicy: IGNORING };
  await cluster.createJob("driven", job, { containers: [sleeper()] });
  const tolerations = [{ key: "maintenance", operator: "Exists" }];
  await cluster.createPod("stays", { tolerations, containers: [sleeper()] });
  await until(() => processes() === 2);
  const [before] = await cluster.podsOf("driven");
  await taint({ key: "maintenance", effect: "NoExecute" });
  await until(() => processes() === 1);
  expect((await cluster.findPod("stays"))?.metadata.deletionTimestamp).toBeUndefined();
  const name = before?.metadata.name ?? "";
  await until(async () => (await cluster.eventsOf(name)).some((each) => each.includes("Marking")));
  expect(await cluster.eventsOf(name)).toContain(
    `TaintManagerEviction: Marking for deletion Pod default/${name}`,
  );
  await taint();
  await until(() => processes() === 2);
  const { status } = await cluster.findJob("driven");
  expect(status).toMatchObject({ active: 1 });
  expect(status.failed).toBeUndefined();
});

test("a pod of higher priority preempts the pod of a Job, and the Job replaces it", async () => {
  const cores = availableParallelism();
  const all = { resources: { requests: { cpu: `${cores}` } } };
  await cluster.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
    metadata: { name: "urgent" },
    value: 1000,
  });
  const job = { completions: 1, backoffLimit: 0, podFailurePolicy: IGNORING };
  await cluster.createJob("patient", job, { containers: [sleeper(all)] });
  await until(() => processes() === 1);
  const [before] = await cluster.podsOf("patient");
  await cluster.createPod("urgent", {
    priorityClassName: "urgent",
    containers: [script("echo here; sleep 0.3", all)],
  });
  expect((await cluster.over("urgent")).status.phase).toBe("Succeeded");
  const events = await cluster.eventsOf(before?.metadata.name ?? "");
  expect(events.filter((each) => each.startsWith("Preempted: Preempted by pod "))).toHaveLength(1);
  await until(() => processes() === 1);
  const { status } = await cluster.findJob("patient");
  expect(status.failed).toBeUndefined();
  const [after] = await cluster.podsOf("patient");
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test("deleting a Job or a namespace ends also processes that ignore SIGTERM", async () => {
  const namespace = "/api/v1/namespaces/doomed";
  await cluster.create("/api/v1/namespaces", { metadata: { name: "doomed" } });
  const deaf = "trap '' TERM; setsid sleep 3600 & while :; do sleep 0.1; done";
  const env = [{ name: MARK, value: mark }];
  const spec = {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    containers: [script(deaf, { env })],
  };
  const job = { completions: 3, parallelism: 3, completionMode: "Indexed", template: { spec } };
  const doomed = "/apis/batch/v1/namespaces/doomed/jobs";
  const here = "/apis/batch/v1/namespaces/default/jobs";
  for (const jobs of [doomed, here]) {
    await cluster.create(jobs, { metadata: { name: "deaf" }, spec: job });
  }
  // Per pod: the shell, its daemon, and usually the sleep that the shell runs.
  await until(() => processes() >= 12);
  await cluster.tally.call("DELETE", `${here}/deaf?propagationPolicy=Foreground`);
  await cluster.tally.call("DELETE", namespace);
  await until(async () => {
    const answers = await Promise.all(
      [namespace, `${here}/deaf`].map((path) => cluster.tally.call("GET", path)),
    );
    return answers.every(({ status }) => status === 404);
  });
  expect(processes()).toBe(0);
});
