import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import {
  aTemplate,
  aWorkflow,
  createTemplate,
  endJob,
  NAMESPACE,
  statesOf,
  workflowOf,
} from "../../../test/builders/workflows.ts";
import type { Workflow, WorkflowSpec } from "../../api/generated/tallyjob.ts";
import { configMaps, events, jobs, jobTemplates, workflows } from "../../api/resources.ts";
import { storeList } from "../../api/work-list/stored-list.ts";
import { workflowController } from "./workflow-controller.ts";

let work: AtWork;
afterEach(() => work.stop());

async function at(workflow: Workflow): Promise<void> {
  work = await startController(workflowController, async (client) => {
    await client.create(workflows, workflow);
  });
  await settled();
}

/** Settles several times, because each write is a change that triggers another reconcile. */
async function settled(): Promise<void> {
  for (let looks = 0; looks < 4; looks++) await work.settle();
}

async function end(job: string, type: "Complete" | "Failed" = "Complete"): Promise<void> {
  await endJob(work.client, job, type);
  await settled();
}

async function change(spec: Partial<WorkflowSpec>): Promise<void> {
  const place = { namespace: NAMESPACE, name: "w" };
  await work.client.patch(workflows, place, { type: "merge", body: { spec } });
  await settled();
}

const states = () => statesOf(work.client);
const status = async () => (await workflowOf(work.client)).status;
const jobNames = async () => (await work.client.list(jobs)).items.map((job) => job.metadata.name);
const condition = async (of: string) =>
  (await status()).conditions?.find(({ type }) => type === of)?.status;

test("a step starts when all its dependencies have succeeded", async () => {
  await at(aWorkflow(["a", "b", "c"], ["a:c", "b:c"]));
  expect(await jobNames()).toEqual(["w-a", "w-b"]);
  await end("w-a");
  expect(await states()).toBe("a=Succeeded b=Running");
  await end("w-b");
  expect(await states()).toBe("a=Succeeded b=Succeeded c=Running");
  await end("w-c");
  expect(await status()).toMatchObject({ phase: "Complete", total: 3, succeeded: 3, active: 0 });
  expect(await condition("Complete")).toBe("True");
  expect(await condition("Failed")).toBeUndefined();
});

test("a dependency can also be declared by the step that waits", async () => {
  const { spec, ...rest } = aWorkflow(["a", "b"]);
  const [first, second] = spec.jobs ?? [];
  if (!first || !second) throw new Error("two steps");
  await at({ ...rest, spec: { jobs: [first, { ...second, dependsOn: ["a"] }] } });
  expect(await jobNames()).toEqual(["w-a"]);
});

test("a failed step skips the steps that depend on it, and no others", async () => {
  await at(aWorkflow(["a", "b", "c", "d"], ["a:c", "c:d"]));
  await end("w-a", "Failed");
  expect(await states()).toBe("a=Failed b=Running c=Skipped d=Skipped");
  expect(await status()).toMatchObject({ phase: "Running", failed: 1, skipped: 2 });
  await end("w-b");
  const { phase, steps, conditions } = await status();
  expect(phase).toBe("Failed");
  expect(steps?.[0]?.message).toBe("BackoffLimitExceeded: too many");
  expect(conditions?.[0]).toMatchObject({
    type: "Failed",
    status: "True",
    reason: "StepFailed",
    message: "failed: a; 2 that depend on them did not begin",
  });
  const { items } = await work.client.list(events);
  expect(items.map(({ reason }) => reason).toSorted()).toEqual(["Failed", "StepFailed"]);
});

test("a retry runs failed steps, then skipped ones, and no succeeded ones", async () => {
  await at(aWorkflow(["a", "b", "c"], ["a:b", "b:c"]));
  await end("w-a");
  await end("w-b", "Failed");
  expect(await condition("Failed")).toBe("True");
  await change({ retries: 1 });
  expect(await states()).toBe("a=Succeeded b=Running");
  expect(await condition("Failed")).toBe("False");
  const { steps } = await status();
  expect(steps?.[1]).toMatchObject({ attempt: 1 });
  const again = steps?.[1]?.job ?? "";
  expect(await jobNames()).toEqual(["w-a", "w-b", again]);
  await end(again);
  await end("w-c");
  expect(await status()).toMatchObject({ phase: "Complete", retries: 1, succeeded: 3 });
});

test("a retry requested while suspended starts on resumption", async () => {
  await at(aWorkflow(["a"]));
  await end("w-a", "Failed");
  await change({ retries: 1, suspend: true });
  expect(await states()).toBe("a=Pending");
  expect((await status()).phase).toBe("Suspended");
  await change({ suspend: false });
  expect(await states()).toBe("a=Running");
});

test("while suspended no step starts, and running Jobs continue", async () => {
  await at(aWorkflow(["a", "b"], ["a:b"]));
  await change({ suspend: true });
  await end("w-a");
  expect(await states()).toBe("a=Succeeded");
  expect(await condition("Suspended")).toBe("True");
  await change({ suspend: false });
  expect(await states()).toBe("a=Succeeded b=Running");
  expect(await condition("Suspended")).toBe("False");
});

test("a step whose Job is deleted has failed", async () => {
  await at(aWorkflow(["a", "b"], ["a:b"]));
  const propagationPolicy = "Background";
  await work.client.delete(jobs, { namespace: NAMESPACE, name: "w-a" }, { propagationPolicy });
  await settled();
  expect(await states()).toBe("a=Failed b=Skipped");
});

test("Jobs are owned by the Workflow and kept until it is deleted", async () => {
  await at(
    aWorkflow(["a"], [], {
      jobs: [{ name: "a", template: aTemplate({ ttlSecondsAfterFinished: 0 }) }],
    }),
  );
  const { metadata, spec } = await work.client.get(jobs, { namespace: NAMESPACE, name: "w-a" });
  const { uid } = (await workflowOf(work.client)).metadata;
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Workflow", uid, controller: true }]);
  expect(metadata.labels).toMatchObject({
    "tallyjob.io/workflow": "w",
    "tallyjob.io/workflow-step": "a",
  });
  expect(spec.ttlSecondsAfterFinished).toBeUndefined();
});

test("a Job created from a template gets a copy of its work list", async () => {
  const list = { parameters: ["F"], columns: [["x", "y"]] };
  work = await startController(workflowController, async (client) => {
    const objects = storeList(list, { name: "t-list", namespace: NAMESPACE, kind: "ConfigMap" });
    for (const object of objects) await client.create(configMaps, object as never);
    const annotations = { "tallyjob.io/work-list": "t-list" };
    const template = aTemplate({ completionMode: "Indexed", completions: 2 }, annotations);
    await createTemplate(client, "t", template);
    const workflow = aWorkflow([], [], { jobs: [{ name: "a", templateRef: { name: "t" } }] });
    await client.create(workflows, workflow);
  });
  await settled();
  const job = await work.client.get(jobs, { namespace: NAMESPACE, name: "w-a" });
  expect(job.metadata.annotations).toEqual({ "tallyjob.io/work-list": "w-a-list" });
  const copy = await work.client.get(configMaps, { namespace: NAMESPACE, name: "w-a-list" });
  expect(copy.metadata.ownerReferences).toMatchObject([{ kind: "Job", uid: job.metadata.uid }]);
  expect(copy.immutable).toBe(true);
  expect(copy.data?.["items"]).toBe('"x"\n"y"');
});

test("a missing template is reported and waited for", async () => {
  work = await startController(workflowController, async (client) => {
    await createTemplate(client, "t");
    const template = aTemplate();
    const later = { name: "b", templateRef: { name: "t" }, dependsOn: ["a"] };
    await client.create(workflows, aWorkflow([], [], { jobs: [{ name: "a", template }, later] }));
    await client.delete(jobTemplates, { namespace: NAMESPACE, name: "t" });
  });
  await settled();
  await end("w-a");
  expect(await states()).toBe("a=Succeeded");
  const { items } = await work.client.list(events);
  expect(items[0]?.message).toContain('jobtemplates.tallyjob.io "t" not found');
  await createTemplate(work.client, "t");
  work.server.clock.advance(1000);
  await settled();
  expect(await states()).toBe("a=Succeeded b=Running");
});

test("an existing Job of another owner is not touched", async () => {
  const { spec } = aTemplate();
  work = await startController(workflowController, async (client) => {
    const metadata = { namespace: NAMESPACE, name: "w-a" };
    await client.create(jobs, { apiVersion: "batch/v1", kind: "Job", metadata, spec, status: {} });
    await client.create(workflows, aWorkflow(["a", "b"]));
  });
  await settled();
  expect(await states()).toBe("b=Running");
});
