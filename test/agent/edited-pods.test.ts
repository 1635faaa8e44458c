/**
 * Clients edit labels and annotations of running pods: the agent still frees what it reserved for
 * them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Pod } from "../../src/api/generated/core.ts";
import { Cluster, lastCondition, script, stateOf, until } from "./cluster.ts";

const CORE = "/api/v1/namespaces/default";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const INDEX = "batch.kubernetes.io/job-completion-index";

let directory: string;
let cluster: Cluster;
const file = (name: string) => path.join(directory, name);

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-edited-"));
  cluster = await Cluster.start({ args: ["--on-exit=terminate", "--job-backoff-base=10ms"] });
});
afterEach(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** Records its index, and ends when the test creates the file "go". */
const note = (word: string) => `echo ${word} $JOB_COMPLETION_INDEX >> ${file("lives")}`;
const WAIT = "until [ -e $GO ]; do sleep 0.05; done";
const task = (before = "") =>
  script(`${before} ${note("begin")}; ${WAIT}; ${note("end")}`, {
    env: [{ name: "GO", value: file("go") }],
  });
const lives = () => (existsSync(file("lives")) ? readFileSync(file("lives"), "utf8") : "");

async function firstPod(job: string): Promise<Pod> {
  await until(() => lives() !== "");
  const [pod] = await cluster.podsOf(job);
  return pod as Pod;
}

async function edit({ metadata }: Pod, change: object): Promise<void> {
  const headers = { "Content-Type": "application/merge-patch+json" };
  const where = `${CORE}/pods/${metadata.name}`;
  const { status } = await cluster.tally.call("PATCH", where, { metadata: change }, headers);
  expect(status).toBe(200);
}

/** Waits until the replacement pod waits for the former one, and returns the replacement. */
async function heldReplacement(job: string, former: Pod): Promise<Pod> {
  let held: Pod | undefined;
  await until(async () => {
    const others = (await cluster.podsOf(job)).filter(
      ({ metadata }) => metadata.uid !== former.metadata.uid,
    );
    held = others.find((pod) => stateOf(pod)?.waiting?.reason === "WaitingForPredecessor");
    return held !== undefined;
  });
  return held as Pod;
}

test("the index of a pod whose index was removed is free once its process has ended", async () => {
  const spec = { completions: 1, podReplacementPolicy: "TerminatingOrFailed" };
  await cluster.createJob("j", spec, { containers: [task("trap '' TERM;")] });
  const former = await firstPod("j");
  await edit(former, { annotations: { [INDEX]: null } });
  await heldReplacement("j", former);
  writeFileSync(file("go"), "");
  expect(lastCondition(await cluster.finished("j"))).toBe("Complete");
  expect(lives()).toBe("begin 0\nend 0\nbegin 0\nend 0\n");
});

test("a new Job can use the index of a pod whose index was removed", async () => {
  const pod = { containers: [task("trap '' TERM;")] };
  await cluster.createJob("j", { completions: 1 }, pod);
  await edit(await firstPod("j"), { annotations: { [INDEX]: null } });
  await cluster.tally.call("DELETE", `${JOBS}/j?propagationPolicy=Background`);
  await until(async () => (await cluster.tally.call("GET", `${JOBS}/j`)).status === 404);
  await cluster.createJob("j", { completions: 1 }, pod);
  writeFileSync(file("go"), "");
  expect(lastCondition(await cluster.finished("j"))).toBe("Complete");
});

test("a pod that was given another index frees the index it ran", async () => {
  await cluster.createJob("j", { completions: 2, parallelism: 1 }, { containers: [task()] });
  await edit(await firstPod("j"), { annotations: { [INDEX]: "1" } });
  writeFileSync(file("go"), "");
  const job = await cluster.finished("j");
  expect(job.status.completedIndexes).toBe("0,1");
  expect(lives()).toBe("begin 0\nend 0\nbegin 0\nend 0\n");
});

test("a pod that was released by its Job keeps its index until its process has ended", async () => {
  await cluster.createJob("j", { completions: 1 }, { containers: [task()] });
  const former = await firstPod("j");
  // A Job releases a pod that its selector no longer matches.
  await edit(former, { labels: { "batch.kubernetes.io/controller-uid": null } });
  await heldReplacement("j", former);
  writeFileSync(file("go"), "");
  expect(lastCondition(await cluster.finished("j"))).toBe("Complete");
  expect(lives()).toBe("begin 0\nend 0\nbegin 0\nend 0\n");
});

test("a restarted server knows which index an edited pod occupies", async () => {
  await cluster.createJob("j", { completions: 1 }, { containers: [task()] });
  const former = await firstPod("j");
  await edit(former, {
    labels: { "batch.kubernetes.io/controller-uid": null },
    annotations: { [INDEX]: null },
  });
  await heldReplacement("j", former);
  await cluster.tally.kill();
  await cluster.startAgain();
  // The agent handles pods in order: when this one is done, it has handled the replacement too.
  await cluster.createPod("later", { containers: [script("exit 0")] });
  await cluster.over("later");
  expect(lives()).toBe("begin 0\n");
  writeFileSync(file("go"), "");
  expect(lastCondition(await cluster.finished("j"))).toBe("Complete");
  expect(lives()).toBe("begin 0\nend 0\nbegin 0\nend 0\n");
});
