/** A feature is switched off and on again by restarts while pods of Jobs run. */
import { afterEach, expect, test } from "vitest";
import { poll } from "../support/poll.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { createJob, hasEnded, jobOf, PODS, podsOf, setPhase, succeedAll } from "./job-client.ts";

const SOON = { timeout: 120_000, interval: 50 };
const OFF = "--feature-gates=IndexedJob=false";

let tally: Tally;

afterEach(() => tally.dispose());

async function restart(...args: readonly string[]): Promise<void> {
  const { dataDir } = tally;
  await tally.stop();
  tally = await startTally({ dataDir, args: ["--no-agent", ...args] });
}

async function completes(name: string): Promise<void> {
  await poll(async () => {
    await succeedAll(tally, name);
    return hasEnded(await jobOf(tally, name), "Complete");
  }, SOON).toBe(true);
}

/** Two of the four indexes have a running pod. */
async function startIndexedJob(): Promise<void> {
  tally = await startTally({ args: ["--no-agent"] });
  await createJob(tally, "j", { completionMode: "Indexed", completions: 4, parallelism: 2 });
  await poll(async () => (await jobOf(tally, "j")).status.active, SOON).toBe(2);
  for (const pod of await podsOf(tally, "j")) await setPhase(tally, pod, "Running");
}

test("a Job whose feature is off is ignored until it is on again", async () => {
  await startIndexedJob();
  await restart(OFF);
  const [first, second] = await podsOf(tally, "j");
  if (!first || !second) throw new Error("two pods were expected");
  await setPhase(tally, first, "Succeeded");
  const [jobBefore, podsBefore] = [await jobOf(tally, "j"), await podsOf(tally, "j")];

  // When a later Job has finished, the controller has also looked at the first.
  await createJob(tally, "later", { completions: 1 });
  await completes("later");
  expect(await jobOf(tally, "j")).toEqual(jobBefore);
  expect(await podsOf(tally, "j")).toEqual(podsBefore);
  await poll(() => warningsOf("j"), SOON).toContain("IndexedJobDisabled");

  await restart();
  await poll(async () => (await jobOf(tally, "j")).status.completedIndexes, SOON).toBe("0");
  const uids = (await podsOf(tally, "j")).map(({ uid }) => uid);
  expect(uids).toEqual(expect.arrayContaining([first.uid, second.uid]));
  await completes("j");
  const { status } = await jobOf(tally, "j");
  expect(status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
  expect(status.failed ?? 0).toBe(0);
});

test("a Job created while the feature is off never becomes Indexed", async () => {
  tally = await startTally({ args: ["--no-agent", OFF] });
  await createJob(tally, "plain", { completionMode: "Indexed", completions: 2, parallelism: 2 });
  expect((await jobOf(tally, "plain")).spec.completionMode).toBeUndefined();
  await poll(async () => (await podsOf(tally, "plain")).length, SOON).toBe(2);
  await restart();
  await completes("plain");
  const pods = await podsOf(tally, "plain");
  expect(pods.map(({ index }) => index)).toEqual([undefined, undefined]);
  expect((await jobOf(tally, "plain")).status).not.toHaveProperty("completedIndexes");
});

test("a pod without an index is deleted, uncounted, when the feature is on again", async () => {
  await startIndexedJob();
  await restart(OFF);
  await createPodWithoutIndex("stray");
  await restart();
  const names = async () => (await podsOf(tally, "j")).map(({ name }) => name);
  await poll(names, SOON).not.toContain("stray");
  await completes("j");
  const { status } = await jobOf(tally, "j");
  expect(status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
  expect(status.failed ?? 0).toBe(0);
});

async function createPodWithoutIndex(name: string): Promise<void> {
  const { uid } = (await jobOf(tally, "j")).metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid, controller: true };
  const labels = { "job-name": "j", "batch.kubernetes.io/controller-uid": uid };
  const metadata = { name, labels, ownerReferences: [owner] };
  const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] };
  const { status, text } = await tally.call("POST", PODS, { metadata, spec });
  expect(status, text).toBe(201);
}

async function warningsOf(job: string): Promise<readonly string[]> {
  const { json } = await tally.call("GET", "/api/v1/namespaces/default/events");
  const events: readonly { involvedObject: { name: string }; type: string; reason: string }[] =
    json.items;
  return events
    .filter(({ involvedObject, type }) => involvedObject.name === job && type === "Warning")
    .map(({ reason }) => reason);
}
