import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentAtWork, ofIndex } from "../../test/builders/agent.ts";
import { drainedNodes } from "../api/drained.ts";
import type { Job } from "../api/generated/batch.ts";
import { jobs } from "../api/resources.ts";

let world: AgentAtWork;
beforeEach(async () => {
  world = await AgentAtWork.start();
});
afterEach(() => world.crash());

const NAME = { namespace: "default", name: "j" };
const AHEAD = { "tallyjob.io/pods-ahead": "10" };

test("a pod whose Job was replaced does not begin", async () => {
  await world.create("p0", { metadata: ofIndex(0) });
  const former = await world.client.get(jobs, NAME);
  await world.client.delete(jobs, NAME, { propagationPolicy: "Background" });
  const next = await world.create("p1", { metadata: ofIndex(2) });
  await world.create("late", { metadata: { ...ofIndex(1), ownerReferences: [ownerOf(former)] } });
  expect(world.runtime.alive.slice(1)).toEqual([`${next}/c/0`]);
});

test("a paused Job begins none of the pods it has ahead, and continues with them", async () => {
  const first = await world.create("p0", { metadata: ofIndex(0) });
  await change({ metadata: { annotations: AHEAD }, spec: { parallelism: 0 } });
  const second = await world.create("p1", { metadata: ofIndex(1) });
  expect(world.runtime.alive).toEqual([`${first}/c/0`]);
  await change({ spec: { parallelism: 5 } });
  expect(world.runtime.alive).toEqual([`${first}/c/0`, `${second}/c/0`]);
});

test("a paused Job is drained when the end of its last process is reported", async () => {
  const uid = await world.create("p0", { metadata: ofIndex(0) });
  await change({ metadata: { annotations: AHEAD }, spec: { parallelism: 0 } });
  await world.create("p1", { metadata: ofIndex(1) });
  expect(await drained()).toEqual([]);
  await world.end(`${uid}/c/0`, 0);
  expect((await world.pod("p0")).status.phase).toBe("Succeeded");
  expect(await drained()).toEqual(["n"]);
  await change({ spec: { parallelism: 5 } });
  await world.settle();
  expect(await drained()).toEqual([]);
});

test("a new agent states that a paused Job is drained only if nothing of it runs", async () => {
  const uid = await world.create("p0", { metadata: ofIndex(0) });
  await world.crash();
  await change({ metadata: { annotations: AHEAD }, spec: { parallelism: 0 } });
  await world.open();
  await world.settle();
  expect(await drained()).toEqual([]);
  await world.crash();
  world.runtime.end(`${uid}/c/0`, 0);
  await world.open();
  await world.pass(1_000);
  expect(await drained()).toEqual(["n"]);
});

async function change(body: object): Promise<Job> {
  const job = await world.client.patch(jobs, NAME, { type: "merge", body });
  await world.settle();
  return job;
}

async function drained(): Promise<readonly string[]> {
  return [...drainedNodes(await world.client.get(jobs, NAME))];
}

function ownerOf({ metadata: { name = "", uid = "" } }: Job) {
  return { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
}
