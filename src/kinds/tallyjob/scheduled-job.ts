/** Pure: the ScheduledJob: a Job that is created once, at a given time. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, required } from "../../api/finding.ts";
import type { ScheduledJob } from "../../api/generated/tallyjob.ts";
import { dns1123Label } from "../../api/names.ts";
import { draftOf } from "../../api/object.ts";
import { validateJobTemplate } from "../cronjob/validate.ts";
import { setJobTemplateDefaults } from "../job/defaults.ts";
import { validateHostnames } from "../job/validate.ts";
import { jobSpecWarnings } from "../job/warnings.ts";
import { defineKind } from "../kind.ts";
import { validateConditions } from "../meta/conditions.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { ownKind } from "./own-kind.ts";

const PATH = "spec.jobTemplate";

export const scheduledJobKind = defineKind<ScheduledJob>({
  ...ownKind("ScheduledJob"),
  rules: {
    ...standardRules<ScheduledJob>({
      namespaced: true,
      // The Job has the same name, which becomes part of the hostnames of its pods.
      nameRule: dns1123Label,
      validateContent,
      validateChange,
    }),
    setDefaults: ({ spec }) => {
      spec.suspend ??= false;
      setJobTemplateDefaults(spec.jobTemplate.spec);
    },
    prepareForCreate: (scheduled) => {
      scheduled.status = {};
      dropDisabledPodFields(scheduled.spec.jobTemplate.spec.template.spec);
    },
    prepareForUpdate: (next, old) => {
      next.status = draftOf(old.status);
      const { template } = old.spec.jobTemplate.spec;
      dropDisabledPodFields(next.spec.jobTemplate.spec.template.spec, template.spec);
    },
    warningsOnCreate: ({ spec }) => jobSpecWarnings(spec.jobTemplate.spec, `${PATH}.spec`),
    validateStatusUpdate: ({ status }) =>
      validateConditions(status.conditions, "status.conditions"),
  },
});

function validateContent({ metadata, spec }: ScheduledJob): Finding[] {
  const { runAt, startingDeadlineSeconds = 0, jobTemplate } = spec;
  return [
    ...((runAt ?? null) === null ? [required("spec.runAt", "when the Job is to be made")] : []),
    ...validateNonnegative(startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...validateJobTemplate(jobTemplate, PATH),
    ...validateHostnames({ metadata, spec: jobTemplate.spec }),
  ];
}

const FIXED = ["runAt", "jobTemplate"] as const;

function validateChange(next: ScheduledJob, old: ScheduledJob): Finding[] {
  if (old.status.job === undefined) return [];
  const detail = `may not be changed: job ${JSON.stringify(old.status.job.name)} has been made`;
  return FIXED.filter((field) => !isEqual(next.spec[field], old.spec[field])).map((field) =>
    forbidden(`spec.${field}`, detail),
  );
}
