import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { POD_SPEC } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { cronJobKind } from "./kind.ts";

type Body = { [key: string]: Json };

function aCronJob(spec: Body = {}, metadata: Body = {}) {
  const jobTemplate = { spec: { template: { spec: POD_SPEC } } };
  const whole = { schedule: "*/5 * * * *", jobTemplate, ...spec };
  return created<CronJob>(cronJobKind, { metadata, spec: whole });
}

function problemsOf(spec: Body, metadata: Body = {}): string[] {
  return cronJobKind.rules.validate(aCronJob(spec, metadata)).map(formatFinding);
}

function changeOf(old: CronJob, spec: Body): string[] {
  const next = patched(cronJobKind, old, { spec });
  return cronJobKind.rules.validateUpdate(next, old).map(formatFinding);
}

test("a CronJob gets its defaults, and its jobTemplate only those of pods", () => {
  const { spec } = aCronJob();
  expect(spec).toMatchObject({
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  expect(Object.keys(spec.jobTemplate.spec)).toEqual(["template"]);
  expect(spec.jobTemplate.spec.template.spec.dnsPolicy).toBe("ClusterFirst");
});

const TZ = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
const EXPLICIT =
  "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";

test.each<[Body, string[]]>([
  [{ timeZone: "Europe/Paris", schedule: "@daily", concurrencyPolicy: "Replace" }, []],
  [{ schedule: "" }, ["spec.schedule: Required value"]],
  [
    { schedule: "nope" },
    ['spec.schedule: Invalid value: "nope": expected exactly 5 fields, found 1: [nope]'],
  ],
  [{ schedule: "TZ=UTC 0 * * * *" }, [`spec.schedule: Invalid value: "TZ=UTC 0 * * * *": ${TZ}`]],
  [
    { timeZone: "" },
    ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  ],
  [{ timeZone: "X/Y" }, ['spec.timeZone: Invalid value: "X/Y": unknown time zone X/Y']],
  [{ timeZone: " UTC" }, ['spec.timeZone: Invalid value: " UTC": unknown time zone  UTC']],
  [{ timeZone: "../UTC" }, ['spec.timeZone: Invalid value: "../UTC": unknown time zone ../UTC']],
  [{ timeZone: "Local" }, [`spec.timeZone: Invalid value: "Local": ${EXPLICIT}`]],
  [
    { timeZone: "local" },
    [
      `spec.timeZone: Invalid value: "local": ${EXPLICIT}`,
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  ],
  [
    { concurrencyPolicy: "Maybe" },
    [
      'spec.concurrencyPolicy: Unsupported value: "Maybe": ' +
        'supported values: "Allow", "Forbid", "Replace"',
    ],
  ],
  [
    { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
    [
      `spec.startingDeadlineSeconds: ${NEGATIVE}`,
      `spec.successfulJobsHistoryLimit: ${NEGATIVE}`,
      `spec.failedJobsHistoryLimit: ${NEGATIVE}`,
    ],
  ],
])("%j: %j", (spec, problems) => {
  expect(problemsOf(spec)).toEqual(problems);
});

test("the jobTemplate is validated like a Job and must not have a selector", () => {
  const spec = {
    parallelism: -1,
    manualSelector: true,
    selector: { matchLabels: { a: "b" } },
    template: { spec: { ...POD_SPEC, restartPolicy: "Always" } },
  };
  expect(problemsOf({ jobTemplate: { spec } })).toEqual([
    `spec.jobTemplate.spec.parallelism: ${NEGATIVE}`,
    "spec.jobTemplate.spec.template.spec.restartPolicy: " +
      'Required value: valid values: "OnFailure", "Never"',
    'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: ' +
      "`selector` will be auto-generated",
    "spec.jobTemplate.spec.manualSelector: Unsupported value: true: " +
      'supported values: "nil", "false"',
  ]);
});

test("a name must leave room for the suffix of its Jobs, but an existing one may stay", () => {
  const name = "a".repeat(53);
  const detail = "must be no more than 52 characters";
  expect(problemsOf({}, { name })).toEqual([`metadata.name: Invalid value: "${name}": ${detail}`]);
  expect(problemsOf({}, { name: "a".repeat(52) })).toEqual([]);
  expect(changeOf(aCronJob({}, { name }), { suspend: true })).toEqual([]);
});

test("a time zone is checked when it changes", () => {
  const old = aCronJob({ timeZone: "Atlantis/Capital" });
  expect(changeOf(old, { suspend: true })).toEqual([]);
  expect(changeOf(old, { timeZone: "X/Y" })).toHaveLength(1);
});

test("a schedule that had a time zone may keep it, unless the field is set", () => {
  const schedule = "TZ=UTC 0 * * * *";
  const old = aCronJob({ schedule });
  expect(changeOf(old, { suspend: true })).toEqual([]);
  const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  expect(changeOf(old, { timeZone: "UTC" })).toEqual([
    `spec.schedule: Invalid value: "${schedule}": ${detail}`,
  ]);
});

test("a row shows schedule, time zone and last schedule time", () => {
  const now = new Date("2024-01-01T01:00:00Z");
  const cronJob = aCronJob({ timeZone: "UTC", suspend: true });
  const cells = cronJobKind.cells(cronJob, now);
  expect(cells).toEqual([
    ...["j", "*/5 * * * *", "UTC", "True", 0, "<none>", "<unknown>"],
    ...["c", "busybox:1.36", "<none>"],
  ]);
  expect(cronJobKind.columns).toHaveLength(cells.length);
  cronJob.status = { active: [{ name: "a" }], lastScheduleTime: "2024-01-01T00:00:00Z" };
  expect(cronJobKind.cells(cronJob, now).slice(4, 6)).toEqual([1, "60m"]);
});
