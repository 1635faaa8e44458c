import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentAtWork, ofIndex } from "../../test/builders/agent.ts";
import { EXACT_TIMES } from "../api/exact-times.ts";
import { TRACKING_FINALIZER } from "../api/job-tracking.ts";
import { podEndOf, STOPPED, STOPPING } from "../api/pod-end.ts";
import { PODS_AHEAD } from "../api/pods-ahead.ts";
import { jobs, pods } from "../api/resources.ts";

let world: AgentAtWork;
beforeEach(async () => {
  world = await AgentAtWork.start();
});
afterEach(() => world.crash());

/** Keeps the object, so that the test can read what became of it. */
const KEPT = "example.com/kept";
const PLACE = { namespace: "default", name: "p" };

async function createPod(): Promise<string> {
  const finalizers = [TRACKING_FINALIZER, KEPT];
  return world.create("p", { metadata: { ...ofIndex(0), finalizers } });
}

/** As the Job controller does. */
async function untrack(): Promise<void> {
  const body = { metadata: { finalizers: [KEPT] } };
  await world.client.patch(pods, PLACE, { type: "merge", body });
  await world.settle();
}

async function endOfPod(): Promise<readonly unknown[]> {
  const pod = await world.pod("p");
  const { annotations = {} } = pod.metadata;
  return [pod.status.phase, podEndOf(pod, false), annotations[STOPPED]];
}

test("a pod that its Job lets go of and deletes is stopped", async () => {
  const uid = await createPod();
  await untrack();
  await world.delete("p", 30);
  await world.end(`${uid}/c/0`, 143);
  expect(await endOfPod()).toEqual(["Failed", "Stopped", "true"]);
});

test("a pod that its Job stops keeps its finalizer, and counts by how it ends", async () => {
  const uid = await createPod();
  const body = { metadata: { annotations: { [STOPPING]: "true" } } };
  await world.client.patch(pods, PLACE, { type: "merge", body });
  await world.delete("p", 30);
  await world.end(`${uid}/c/0`, 3);
  expect(await endOfPod()).toEqual(["Failed", "Stopped", "true"]);
});

test("a pod that is deleted, and counted before it ends, has failed", async () => {
  const uid = await createPod();
  await world.delete("p", 30);
  await untrack();
  await world.end(`${uid}/c/0`, 143);
  expect(await endOfPod()).toEqual(["Failed", "Failed", undefined]);
});

test("a pod that is deleted while it waits for its turn never began", async () => {
  await world.create("first", { metadata: ofIndex(1) });
  const body = { metadata: { annotations: { [PODS_AHEAD]: "9" } }, spec: { parallelism: 0 } };
  await world.client.patch(jobs, { ...PLACE, name: "j" }, { type: "merge", body });
  await createPod();
  await world.delete("p", 30);
  await world.pass(20);
  expect(await endOfPod()).toEqual(["Failed", "NeverBegan", undefined]);
  expect((await world.pod("p")).metadata.annotations?.[EXACT_TIMES]).toBeUndefined();
});
