import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { jobBody } from "../../../test/builders/resources.ts";
import type { CronJob, Job } from "../../api/generated/batch.ts";
import { cronJobs, events, jobs } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { cronJobController } from "./cronjob-controller.ts";

const PLACE = { namespace: "default", name: "c" };
const MINUTE_MS = 60_000;
let work: AtWork;

afterEach(() => work.stop());

function aCronJob(spec: object = {}): CronJob {
  const { spec: jobSpec } = jobBody({ name: "unused" });
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: PLACE,
    spec: { schedule: "* * * * *", jobTemplate: { spec: jobSpec }, ...spec },
    status: {},
  } as unknown as CronJob;
}

/** Starts at 20 seconds past a minute; all further checks are at 20 seconds past, too. */
async function aCronJobAtWork(spec: object = {}): Promise<void> {
  work = await startController(cronJobController("UTC"), async (client, clock) => {
    clock.advance(20_000);
    await client.create(cronJobs, aCronJob(spec));
  });
}

async function passMinutes(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    for (const stepMs of [40_000, 200, 19_800]) {
      work.server.clock.advance(stepMs);
      await settled();
    }
  }
}

/** Settles several times, because each write is a change that triggers another reconcile. */
async function settled(): Promise<void> {
  for (let looks = 0; looks < 4; looks++) await work.settle();
}

const theJobs = async () => (await work.client.list(jobs)).items;
const names = async () => (await theJobs()).map(({ metadata }) => metadata.name);
const status = async () => (await work.client.get(cronJobs, PLACE)).status;
const reasons = async () => {
  const { items } = await work.client.list(events);
  return [...new Set(items.map(({ reason }) => reason))].toSorted();
};
const FIRST = Date.UTC(2026, 0, 1) / MINUTE_MS + 1;

async function finish(job: Job | undefined, type: "Complete" | "Failed"): Promise<void> {
  const now = formatTime(work.server.clock.nowMs());
  const condition = (of: string) => ({ type: of, status: "True", lastTransitionTime: now });
  const announced = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  await work.client.patch(
    jobs,
    { namespace: "default", name: job?.metadata.name ?? "" },
    {
      type: "merge",
      subresource: "status",
      body: {
        status: {
          startTime: now,
          ...(type === "Complete" ? { completionTime: now, succeeded: 1 } : {}),
          conditions: [condition(announced), condition(type)],
        },
      },
    },
  );
  await settled();
}

test("a Job is started every minute, named after the time", async () => {
  await aCronJobAtWork();
  await passMinutes(2);
  expect(await names()).toEqual([`c-${FIRST}`, `c-${FIRST + 1}`]);
  expect(await status()).toMatchObject({
    active: [{ name: `c-${FIRST}` }, { name: `c-${FIRST + 1}` }],
    lastScheduleTime: "2026-01-01T00:02:00Z",
  });
  expect(await reasons()).toEqual(["SuccessfulCreate"]);
});

test("a finished Job is removed from status.active and lastSuccessfulTime is set", async () => {
  await aCronJobAtWork();
  await passMinutes(1);
  const [job] = await theJobs();
  await finish(job, "Complete");
  expect(await status()).toEqual({
    lastScheduleTime: "2026-01-01T00:01:00Z",
    lastSuccessfulTime: "2026-01-01T00:01:20Z",
  });
  expect(await reasons()).toEqual(["SawCompletedJob", "SuccessfulCreate"]);
});

test("Forbid: no Job starts while one runs; the missed one starts when it ends", async () => {
  await aCronJobAtWork({ concurrencyPolicy: "Forbid" });
  await passMinutes(3);
  expect(await names()).toEqual([`c-${FIRST}`]);
  expect(await reasons()).toContain("JobAlreadyActive");
  const [job] = await theJobs();
  await finish(job, "Complete");
  expect(await names()).toEqual([`c-${FIRST}`, `c-${FIRST + 2}`]);
});

test("Replace: the running Job is deleted", async () => {
  await aCronJobAtWork({ concurrencyPolicy: "Replace" });
  await passMinutes(2);
  expect(await names()).toEqual([`c-${FIRST + 1}`]);
  expect((await status()).active).toMatchObject([{ name: `c-${FIRST + 1}` }]);
});

test("finished Jobs beyond the history limits are deleted", async () => {
  await aCronJobAtWork({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
  for (const end of ["Complete", "Failed", "Complete"] as const) {
    await passMinutes(1);
    await finish((await theJobs()).at(-1), end);
  }
  await passMinutes(1);
  expect(await names()).toEqual([`c-${FIRST + 2}`, `c-${FIRST + 3}`]);
  expect((await status()).lastSuccessfulTime).toBe("2026-01-01T00:03:20Z");
});

test("a suspended CronJob starts nothing; when resumed, only the last missed time", async () => {
  await aCronJobAtWork({ suspend: true });
  await passMinutes(5);
  expect(await names()).toEqual([]);
  await work.client.patch(cronJobs, PLACE, { type: "merge", body: { spec: { suspend: false } } });
  await settled();
  expect(await names()).toEqual([`c-${FIRST + 4}`]);
});

test("a changed schedule does not start Jobs for its past times", async () => {
  await aCronJobAtWork({ schedule: "0 5 * * *" });
  await passMinutes(3);
  const body = { spec: { schedule: "* * * * *" } };
  await work.client.patch(cronJobs, PLACE, { type: "merge", body });
  await settled();
  expect(await names()).toEqual([]);
  await passMinutes(1);
  expect(await names()).toEqual([`c-${FIRST + 3}`]);
});

test("a missing active Job is removed from the status; a foreign Job is not added", async () => {
  await aCronJobAtWork();
  await passMinutes(1);
  const [job] = await theJobs();
  const place = { namespace: "default", name: job?.metadata.name ?? "" };
  await work.client.delete(jobs, place, { propagationPolicy: "Background" });
  const [owner] = job?.metadata.ownerReferences ?? [];
  const metadata = { name: "by-hand", ...(owner ? { ownerReferences: [owner] } : {}) };
  await work.client.create(jobs, jobBody(metadata));
  await settled();
  expect((await status()).active).toBeUndefined();
  expect(await reasons()).toEqual(["MissingJob", "SuccessfulCreate", "UnexpectedJob"]);
});

test("a Job started just before a crash is adopted, not started twice", async () => {
  await aCronJobAtWork();
  await passMinutes(1);
  work.stop();
  // Restore the previous status: a crash loses the last write.
  const { lastScheduleTime: _last, active: _active, ...before } = await status();
  const present = await work.client.get(cronJobs, PLACE);
  await work.client.updateStatus(cronJobs, { ...present, status: before });
  const { clock, random } = work.server;
  const again = await cronJobController("UTC").start({
    client: work.client,
    clock,
    random,
    log: silentLog,
    metrics: new Metrics(),
  });
  await settled();
  again.stop();
  expect(await names()).toEqual([`c-${FIRST}`]);
  expect(await status()).toMatchObject({
    active: [{ name: `c-${FIRST}` }],
    lastScheduleTime: "2026-01-01T00:01:00Z",
  });
});

test("the scheduled-timestamp annotation uses the CronJob's time zone", async () => {
  await aCronJobAtWork({ timeZone: "Asia/Kolkata" });
  await passMinutes(1);
  const [job] = await theJobs();
  const stamp = job?.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"];
  expect(stamp).toBe("2026-01-01T05:31:00+05:30");
});

test("no Job is started after startingDeadlineSeconds has passed", async () => {
  await aCronJobAtWork({ startingDeadlineSeconds: 10, suspend: true });
  work.server.clock.advance(55_000);
  await work.client.patch(cronJobs, PLACE, { type: "merge", body: { spec: { suspend: false } } });
  await settled();
  expect(await names()).toEqual([]);
  work.server.clock.advance(45_100);
  await settled();
  expect(await names()).toEqual([`c-${FIRST + 1}`]);
});
