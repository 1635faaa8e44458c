/** Pure: validates a CronJob. */

import { parseSchedule } from "../../api/cron/schedule.ts";
import { isTimeZone } from "../../api/cron/time-zone.ts";
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { CronJob, CronJobSpec, JobTemplateSpec } from "../../api/generated/batch.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { validateJobSpec } from "../job/validate.ts";
import {
  validateNonnegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";

const CONCURRENCY_POLICIES = ["Allow", "Forbid", "Replace"];
/** The 63 characters of a label minus the "-MINUTES" that is appended to the names of Jobs. */
const NAME_MAX = 52;

export function validateCronJob(cronJob: CronJob): Finding[] {
  const { metadata, spec } = cronJob;
  const { name = "" } = metadata;
  const findings = [
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: dns1123Subdomain }),
    ...validateSpec(spec, undefined),
  ];
  if (name.length > NAME_MAX) {
    findings.push(invalid("metadata.name", name, `must be no more than ${NAME_MAX} characters`));
  }
  return findings;
}

export function validateCronJobUpdate(next: CronJob, old: CronJob): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateSpec(next.spec, old.spec),
  ];
}

export function validateCronJobStatusUpdate(): Finding[] {
  return [];
}

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined): Finding[] {
  const isNewZone = old === undefined || old.timeZone !== spec.timeZone;
  return [
    ...validateSchedule(spec, old, "spec.schedule"),
    ...validateNonnegative(spec.startingDeadlineSeconds ?? 0, "spec.startingDeadlineSeconds"),
    ...(isNewZone ? validateTimeZone(spec.timeZone, "spec.timeZone") : []),
    ...validateConcurrencyPolicy(spec.concurrencyPolicy ?? "", "spec.concurrencyPolicy"),
    ...validateJobTemplate(spec.jobTemplate, "spec.jobTemplate"),
    ...validateNonnegative(spec.successfulJobsHistoryLimit ?? 0, "spec.successfulJobsHistoryLimit"),
    ...validateNonnegative(spec.failedJobsHistoryLimit ?? 0, "spec.failedJobsHistoryLimit"),
  ];
}

function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  old: CronJobSpec | undefined,
  path: string,
): Finding[] {
  if (schedule === "") return [required(path)];
  const findings: Finding[] = [];
  const parsed = parseSchedule(schedule);
  if (parsed.kind === "problem") findings.push(invalid(path, schedule, parsed.problem));
  if (!schedule.includes("TZ")) return findings;
  if (!old?.schedule.includes("TZ")) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    findings.push(invalid(path, schedule, detail));
  } else if (timeZone !== undefined) {
    const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    findings.push(invalid(path, schedule, detail));
  }
  return findings;
}

function validateTimeZone(timeZone: string | undefined, path: string): Finding[] {
  if (timeZone === undefined) return [];
  if (timeZone === "") {
    return [invalid(path, timeZone, "timeZone must be nil or non-empty string")];
  }
  const unknown = invalid(path, timeZone, `unknown time zone ${timeZone}`);
  if (timeZone.toLowerCase() !== "local") {
    const isKnown = isTimeZone(timeZone) && timeZone.split("/").every(isZonePart);
    return isKnown ? [] : [unknown];
  }
  const detail =
    "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  const explicit = invalid(path, timeZone, detail);
  return timeZone === "Local" ? [explicit] : [explicit, unknown];
}

function isZonePart(part: string): boolean {
  if (part === "." || part === ".." || part.startsWith("-")) return false;
  return /^[A-Za-z.\-_0-9+]{1,14}$/.test(part);
}

function validateConcurrencyPolicy(policy: string, path: string): Finding[] {
  if (policy === "") return [required(path)];
  return CONCURRENCY_POLICIES.includes(policy)
    ? []
    : [notSupported(path, policy, CONCURRENCY_POLICIES)];
}

/** Each Job gets a generated selector, so the template must not have one. */
export function validateJobTemplate({ spec }: JobTemplateSpec, path: string): Finding[] {
  const findings = validateJobSpec(spec, `${path}.spec`);
  if (spec.selector !== undefined) {
    const detail = "`selector` will be auto-generated";
    findings.push(invalid(`${path}.spec.selector`, spec.selector, detail));
  }
  if (spec.manualSelector === true) {
    findings.push(notSupported(`${path}.spec.manualSelector`, true, ["nil", "false"]));
  }
  return findings;
}
