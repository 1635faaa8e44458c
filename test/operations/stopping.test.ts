/** What happens to running pods when their server is stopped and started again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pod } from "../../src/api/generated/core.ts";
import { Cluster, lastCondition, script, until } from "../agent/cluster.ts";
import { markedProcesses } from "../support/marked-processes.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { runTally } from "../support/tally.ts";
import { startTallyAgent } from "../support/tally-agent.ts";

const PODS = 8;
const MARK = "STOPPING_TEST";
const onPodConditions = [{ type: "DisruptionTarget" }];
const IGNORING = { podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions }] } };
const EIGHT = { completions: PODS, parallelism: PODS };

let directory: string;
let cluster: Cluster;
const go = () => path.join(directory, "go");
const alive = () => markedProcesses(MARK, directory).length;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-stopping-"));
});
afterEach(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** One process, which ends by itself when the test creates the file "go". */
const task = () =>
  script(`[ -e ${go()} ] || exec sleep 3600`, { env: [{ name: MARK, value: directory }] });

async function runEight(spec: object): Promise<readonly Pod[]> {
  await cluster.createJob("j", { ...EIGHT, ...spec }, { containers: [task()] });
  await until(() => alive() === PODS);
  await until(async () => (await cluster.findJob("j")).status.ready === PODS);
  return cluster.podsOf("j");
}

const readySince = ({ status }: Pod) =>
  status.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True")
    ?.lastTransitionTime;

function interrupt(): Promise<number | null> {
  const { tally } = cluster;
  const ended = new Promise<number | null>((resolve) => tally.process.once("close", resolve));
  tally.process.kill("SIGINT");
  return ended;
}

const uidsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
const down = () => runTally(["down", "--data", cluster.tally.dataDir]);

test("pods keep running when their server is stopped, and the next start adopts them", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  const before = await runEight({ backoffLimit: 0 });
  const { dataDir } = cluster.tally;
  expect(await interrupt()).toBe(0);
  const [, line] = cluster.tally.out().split("\n");
  expect(line).toBe(
    `8 pods keep running: the next "tally up" adopts them, "tally down --data ${dataDir}" ends them`,
  );
  expect(alive()).toBe(PODS);
  await cluster.startAgain();
  const after = await cluster.podsOf("j");
  expect(uidsOf(after)).toEqual(uidsOf(before));
  expect(after.map(readySince)).toEqual(before.map(readySince));
  const { status } = await cluster.findJob("j");
  expect(status).toMatchObject({ active: PODS });
  expect(status.failed).toBeUndefined();
});

test("a server that leaves nothing running prints no notice", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  await cluster.createPod("p", { containers: [script("exit 0")] });
  await cluster.over("p");
  expect(await interrupt()).toBe(0);
  expect(cluster.tally.out().trimEnd().split("\n")).toHaveLength(1);
});

test("tally down ends the pods of a stopped server, and their Job continues later", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  const before = await runEight({ backoffLimit: 0, ...IGNORING });
  await interrupt();
  expect(await down()).toMatchObject({
    code: 0,
    out: "8 pods were ended, as by a shutdown of the node (reason Terminated)\n",
  });
  expect(alive()).toBe(0);
  writeFileSync(go(), "");
  await cluster.startAgain();
  const job = await cluster.finished("j");
  expect(lastCondition(job)).toBe("Complete");
  expect(job.status.failed).toBeUndefined();
  await expectShutDown(before);
});

test("terminated pods do not delay their Job at the next start", async () => {
  cluster = await Cluster.start({ exitFlags: ["--on-exit=terminate"] });
  const before = await runEight({ backoffLimit: 0, ...IGNORING });
  expect(await interrupt()).toBe(0);
  expect(cluster.tally.out()).not.toContain("keep running");
  expect(alive()).toBe(0);
  writeFileSync(go(), "");
  await cluster.startAgain();
  expect(lastCondition(await cluster.finished("j"))).toBe("Complete");
  await expectShutDown(before);
});

test("without a rule, terminated pods count as failures of their Job", async () => {
  cluster = await Cluster.start({ exitFlags: ["--on-exit=terminate"] });
  await runEight({ backoffLimit: 6 });
  await interrupt();
  await cluster.startAgain();
  const job = await cluster.finished("j");
  expect(job.status.conditions?.at(-1)).toMatchObject({ reason: "BackoffLimitExceeded" });
});

/** With the message of a kubelet that shuts down gracefully. */
async function expectShutDown(pods: readonly Pod[]): Promise<void> {
  const message = "Pod was terminated in response to imminent node shutdown.";
  for (const { metadata } of pods) {
    const pod = await cluster.findPod(metadata.name ?? "");
    expect(pod?.metadata.uid).toBe(metadata.uid);
    expect(pod?.status).toMatchObject({ phase: "Failed", reason: "Terminated", message });
    expect(pod?.status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message,
      }),
    );
  }
}

test("tally down fails while the server runs, and ends nothing", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  await runEight({});
  const { dataDir, process: server } = cluster.tally;
  expect(await down()).toEqual({
    code: 1,
    out: "",
    error:
      `error: the data directory ${dataDir} is in use by process ${server.pid}: ` +
      "stop that first, with Ctrl-C or SIGTERM\n",
  });
  expect(alive()).toBe(PODS);
});

test.skipIf(withoutSandboxes)(`tally down ends sandboxes ${withoutSandboxes}`, async () => {
  cluster = await Cluster.start({ exitFlags: [], args: ["--default-runtime=sandbox"] });
  const env = [{ name: MARK, value: directory }];
  await cluster.createPod("boxed", { containers: [script("exec sleep 3600", { env })] });
  const running = ({ status }: Pod) => status.phase === "Running";
  const before = await cluster.podThat("boxed", running);
  await until(() => alive() > 0);
  await interrupt();
  expect(await down()).toMatchObject({ code: 0, out: expect.stringContaining("1 pod was ended") });
  expect(alive()).toBe(0);
  await cluster.startAgain();
  await expectShutDown([before]);
  const { status } = (await cluster.findPod("boxed")) ?? before;
  expect(status.podIP).toBe(before.status.podIP);
  const [container] = status.containerStatuses ?? [];
  expect(container?.containerID).toMatch(/^sandbox:/);
});

test("pods of a stopped agent keep running too, and tally down ends them", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  const agent = await startTallyAgent(cluster.tally, { nodeName: "elsewhere", exitFlags: [] });
  const containers = [task()];
  await cluster.createPod("p", { nodeName: "elsewhere", containers });
  await until(() => alive() === 1);
  const before = await cluster.podThat("p", ({ status }) => status.phase === "Running");
  await agent.stop();
  const { dataDir } = agent;
  expect(agent.out().split("\n")[1]).toBe(
    `1 pod keeps running: the next "tally agent" adopts it, "tally down --data ${dataDir}" ends it`,
  );
  expect(alive()).toBe(1);
  const { kubeconfig } = cluster.tally;
  const args = ["down", "--data", dataDir, "--kubeconfig", kubeconfig];
  expect(await runTally(args)).toMatchObject({ code: 0 });
  expect(alive()).toBe(0);
  await expectShutDown([before]);
  await agent.dispose();
});

test("tally down reports that no pods run, and rejects a directory without a server", async () => {
  cluster = await Cluster.start({ exitFlags: [] });
  await interrupt();
  expect(await down()).toEqual({ code: 0, out: "no pods are running\n", error: "" });
  const empty = path.join(directory, "empty");
  const { code, error } = await runTally(["down", "--data", empty]);
  expect({ code, error }).toEqual({
    code: 1,
    error: `error: ${empty} is not the data directory of a server\n`,
  });
});
