import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { type Death, mortalClient } from "../../../test/builders/mortal-client.ts";
import { aTemplate, endJob, NAMESPACE } from "../../../test/builders/workflows.ts";
import type { Secret } from "../../api/generated/core.ts";
import type { ScheduledJob, ScheduledJobSpec } from "../../api/generated/tallyjob.ts";
import { events, jobs, scheduledJobs, secrets } from "../../api/resources.ts";
import { storeList } from "../../api/work-list/stored-list.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { scheduledJobController } from "./scheduledjob-controller.ts";

const PLACE = { namespace: NAMESPACE, name: "s" };
/** The clock of tests starts at midnight. */
const RUN_AT = "2026-01-01T00:10:00Z";
const PAST = "2025-12-31T00:00:00Z";
const MINUTE_MS = 60_000;
let work: AtWork;

afterEach(() => work.stop());

function aScheduledJob(spec: Partial<ScheduledJobSpec> = {}): ScheduledJob {
  return {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "ScheduledJob",
    metadata: PLACE,
    spec: { runAt: RUN_AT, jobTemplate: aTemplate(), ...spec },
    status: {},
  };
}

async function at(spec: Partial<ScheduledJobSpec> = {}, minutesLate = 0): Promise<void> {
  work = await startController(scheduledJobController, async (client, clock) => {
    await client.create(scheduledJobs, aScheduledJob(spec));
    clock.advance(minutesLate * MINUTE_MS);
  });
  await settled();
}

async function settled(): Promise<void> {
  for (let looks = 0; looks < 4; looks++) await work.settle();
}

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    work.server.clock.advance(MINUTE_MS);
    await settled();
  }
}

async function change(spec: Partial<ScheduledJobSpec>): Promise<void> {
  await work.client.patch(scheduledJobs, PLACE, { type: "merge", body: { spec } });
  await settled();
}

const status = async () => (await work.client.get(scheduledJobs, PLACE)).status;
const phase = async () => (await status()).phase;
const theJobs = async () => (await work.client.list(jobs)).items;

test("the Job is created once, at its time, with the same name", async () => {
  await at();
  await pass(9);
  expect(await phase()).toBe("Scheduled");
  expect(await theJobs()).toEqual([]);
  await pass(1);
  const [job, ...others] = await theJobs();
  expect(others).toEqual([]);
  expect(job?.metadata).toMatchObject({ name: "s", ownerReferences: [{ kind: "ScheduledJob" }] });
  expect(await status()).toMatchObject({
    phase: "Started",
    startTime: RUN_AT,
    job: { name: "s", uid: job?.metadata.uid },
  });
  await pass(60);
  expect(await theJobs()).toHaveLength(1);
});

test.each(["Complete", "Failed"] as const)("the status shows that the Job is %s", async (end) => {
  await at({ runAt: PAST });
  await endJob(work.client, "s", end);
  await settled();
  const { phase: is, conditions, completionTime } = await status();
  expect(is).toBe(end);
  expect(completionTime).toBeDefined();
  expect(conditions).toMatchObject([{ type: end, status: "True" }]);
  await work.client.delete(jobs, PLACE, { propagationPolicy: "Background" });
  await settled();
  expect(await phase()).toBe(end);
  expect(await theJobs()).toEqual([]);
});

test("a Job that is deleted while it runs counts as failed and is not recreated", async () => {
  await at({ runAt: PAST });
  await work.client.delete(jobs, PLACE, { propagationPolicy: "Background" });
  await settled();
  expect(await phase()).toBe("Failed");
  await pass(2);
  expect(await theJobs()).toEqual([]);
});

test.each([
  ["without a deadline it is started, however late", {}, 60, "Started"],
  ["within the deadline it is started", { startingDeadlineSeconds: 600 }, 20, "Started"],
  ["after the deadline it is missed", { startingDeadlineSeconds: 600 }, 21, "Missed"],
])("a time that passed while the controller was stopped: %s", async (_, spec, minutes, is) => {
  await at(spec, minutes);
  expect(await phase()).toBe(is);
  expect(await theJobs()).toHaveLength(is === "Started" ? 1 : 0);
});

test("a missed ScheduledJob can be given another time", async () => {
  await at({ startingDeadlineSeconds: 0 }, 11);
  expect((await status()).conditions).toMatchObject([
    { type: "Failed", status: "True", reason: "StartingDeadlineExceeded" },
  ]);
  const { items } = await work.client.list(events);
  expect(items.map(({ reason }) => reason)).toEqual(["MissSchedule"]);
  await change({ runAt: "2026-01-01T00:15:00Z" });
  expect(await status()).toMatchObject({ phase: "Scheduled", conditions: [{ status: "False" }] });
  await pass(4);
  expect(await phase()).toBe("Started");
});

test("no Job is created while suspended; an overdue one is created on resumption", async () => {
  await at({ suspend: true });
  await pass(11);
  expect(await phase()).toBe("Suspended");
  expect(await theJobs()).toEqual([]);
  await change({ suspend: false });
  expect(await phase()).toBe("Started");
});

test("the Job gets a copy of the work list", async () => {
  const list = { parameters: ["F"], columns: [["x", "y"]] };
  const annotations = { "tallyjob.io/work-list": "secret/s-items" };
  const spec = { completionMode: "Indexed", completions: 2 };
  work = await startController(scheduledJobController, async (client) => {
    const place = { name: "s-items", namespace: NAMESPACE, kind: "Secret" as const };
    for (const object of storeList(list, place)) await client.create(secrets, object as Secret);
    const jobTemplate = aTemplate(spec, annotations);
    await client.create(scheduledJobs, aScheduledJob({ jobTemplate, runAt: PAST }));
  });
  await settled();
  const [job] = await theJobs();
  expect(job?.metadata.annotations).toEqual({ "tallyjob.io/work-list": "secret/s-list" });
  const copy = await work.client.get(secrets, { namespace: NAMESPACE, name: "s-list" });
  expect(copy.metadata.ownerReferences).toMatchObject([{ kind: "Job", uid: job?.metadata.uid }]);
  expect(Object.keys(copy.data ?? {})).toEqual(["F.0", "F.1", "list"]);
});

const DEATHS: readonly Death[] = [1, 2, 3, 4, 5].flatMap((call) => [
  { call, moment: "before" as const },
  { call, moment: "after" as const },
]);

test.each(DEATHS)("after a crash %j, the next controller finds the Job", async (death) => {
  work = await startController({ name: "none", start: async () => ({ stop: () => {} }) });
  const { client, server } = work;
  await client.create(scheduledJobs, aScheduledJob({ runAt: PAST }));
  const { clock, random } = server;
  const made: string[] = [];
  const { resourceVersion } = await client.list(jobs);
  client.watch(
    jobs,
    { resourceVersion },
    {
      onEvent: ({ type, object }) => {
        if (type === "ADDED") made.push(object.metadata.name ?? "");
      },
      onEnd: () => {},
    },
  );
  for (const each of [death, undefined]) {
    const context = { clock, random, log: silentLog, metrics: new Metrics() };
    void scheduledJobController.start({ ...context, client: mortalClient(client, each) });
    await settled();
  }
  expect(made).toEqual(["s"]);
  expect(await status()).toMatchObject({ phase: "Started", job: { name: "s" } });
});
