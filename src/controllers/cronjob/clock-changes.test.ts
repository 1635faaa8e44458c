/**
 * CronJobs when the clock jumps: at daylight saving changes, while the controller is stopped, or
 * when the clock is set.
 */
import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { jobBody } from "../../../test/builders/resources.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import { cronJobs, events, jobs } from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import type { RunningController } from "../runtime/controller.ts";
import { cronJobController } from "./cronjob-controller.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

let work: AtWork;
let again: RunningController | undefined;
afterEach(() => {
  work.stop();
  again?.stop();
  again = undefined;
});

async function aCronJobSince(time: string, spec: object): Promise<void> {
  const { spec: jobSpec } = jobBody({ name: "unused" });
  work = await startController(cronJobController("UTC"), async (client, clock) => {
    clock.set(Date.parse(time));
    await client.create(cronJobs, {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { namespace: "default", name: "c" },
      spec: { jobTemplate: { spec: jobSpec }, ...spec },
      status: {},
    } as unknown as CronJob);
  });
}

async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += MINUTE_MS) {
    work.server.clock.advance(Math.min(MINUTE_MS, ms - passedMs));
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let looks = 0; looks < 4; looks++) await work.settle();
}

async function startAgain(): Promise<void> {
  const { client, server } = work;
  const { clock, random } = server;
  const own = { log: silentLog, metrics: new Metrics() };
  again = await cronJobController("UTC").start({ client, clock, random, ...own });
  await settled();
}

/** The times for which Jobs were started, in the time zone of the CronJob. */
async function times(): Promise<readonly string[]> {
  const { items } = await work.client.list(jobs);
  return items.map(({ metadata }) => metadata.annotations?.[SCHEDULED] ?? "").sort();
}

test.each<[string, string, string, string, readonly string[]]>([
  [
    "a skipped hour in New York",
    "America/New_York",
    "30 2 * * *",
    "2026-03-07T06:00:00Z",
    ["2026-03-07T02:30:00-05:00", "2026-03-09T02:30:00-04:00"],
  ],
  [
    "a repeated hour in New York",
    "America/New_York",
    "30 1 * * *",
    "2026-10-31T04:00:00Z",
    [
      "2026-10-31T01:30:00-04:00",
      "2026-11-01T01:30:00-04:00",
      "2026-11-01T01:30:00-05:00",
      "2026-11-02T01:30:00-05:00",
    ],
  ],
  [
    "a skipped hour in Berlin",
    "Europe/Berlin",
    "15 2 * * *",
    "2026-03-28T00:00:00Z",
    ["2026-03-28T02:15:00+01:00", "2026-03-30T02:15:00+02:00"],
  ],
  [
    "a repeated hour in Berlin",
    "Europe/Berlin",
    "15 2 * * *",
    "2026-10-24T00:00:00Z",
    [
      "2026-10-24T02:15:00+02:00",
      "2026-10-25T02:15:00+02:00",
      "2026-10-25T02:15:00+01:00",
      "2026-10-26T02:15:00+01:00",
    ],
  ],
])("%s", async (_, timeZone, schedule, since, expected) => {
  await aCronJobSince(since, { timeZone, schedule, successfulJobsHistoryLimit: 9 });
  for (let hours = 0; hours < 56; hours++) {
    work.server.clock.advance(HOUR_MS);
    await settled();
  }
  expect(new Set(await times())).toEqual(new Set(expected));
});

test("after a stop only the last missed time is started", async () => {
  await aCronJobSince("2026-01-01T00:00:30Z", { schedule: "0 * * * *" });
  await pass(HOUR_MS);
  work.stop();
  work.server.clock.advance(5 * HOUR_MS);
  await startAgain();
  expect(await times()).toEqual(["2026-01-01T01:00:00Z", "2026-01-01T06:00:00Z"]);
});

test("missed times beyond startingDeadlineSeconds are skipped after a restart", async () => {
  await aCronJobSince("2026-01-01T00:00:30Z", {
    schedule: "0 * * * *",
    startingDeadlineSeconds: 600,
  });
  work.stop();
  work.server.clock.advance(5 * HOUR_MS + 20 * MINUTE_MS);
  await startAgain();
  expect(await times()).toEqual([]);
  await pass(HOUR_MS);
  expect(await times()).toEqual(["2026-01-01T06:00:00Z"]);
});

test("after hundreds of missed times one Job starts and a warning is recorded", async () => {
  await aCronJobSince("2026-01-01T00:00:30Z", { schedule: "* * * * *" });
  work.stop();
  work.server.clock.advance(24 * HOUR_MS);
  await startAgain();
  expect(await times()).toEqual(["2026-01-02T00:00:00Z"]);
  const { items } = await work.client.list(events);
  expect(items.map(({ reason }) => reason)).toContain("TooManyMissedTimes");
});

test("setting the clock back starts no Job twice", async () => {
  await aCronJobSince("2026-01-01T04:00:30Z", { schedule: "0 * * * *" });
  await pass(HOUR_MS);
  work.server.clock.set(Date.parse("2026-01-01T02:30:30Z"));
  await pass(3 * HOUR_MS);
  expect(await times()).toEqual(["2026-01-01T05:00:00Z"]);
  await pass(HOUR_MS);
  expect(await times()).toEqual(["2026-01-01T05:00:00Z", "2026-01-01T06:00:00Z"]);
});

test("setting the clock ahead is noticed within a minute", async () => {
  await aCronJobSince("2026-01-01T00:00:30Z", { schedule: "0 * * * *" });
  work.server.clock.set(Date.parse("2026-01-01T03:10:00Z"));
  await pass(MINUTE_MS);
  expect(await times()).toEqual(["2026-01-01T03:00:00Z"]);
});
