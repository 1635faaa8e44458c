/** Pure: the JobTemplate: a template from which Workflows create Jobs. */
import type { JobTemplate } from "../../api/generated/tallyjob.ts";
import { validateJobTemplate } from "../cronjob/validate.ts";
import { setJobTemplateDefaults } from "../job/defaults.ts";
import { jobSpecWarnings } from "../job/warnings.ts";
import { defineKind } from "../kind.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { ownKind } from "./own-kind.ts";

const PATH = "spec.template";

export const jobTemplateKind = defineKind<JobTemplate>({
  ...ownKind("JobTemplate"),
  rules: {
    ...standardRules<JobTemplate>({
      namespaced: true,
      validateContent: ({ spec }) => validateJobTemplate(spec.template, PATH),
    }),
    setDefaults: ({ spec }) => setJobTemplateDefaults(spec.template.spec),
    prepareForCreate: ({ spec }) => dropDisabledPodFields(spec.template.spec.template.spec),
    prepareForUpdate: ({ spec }, old) =>
      dropDisabledPodFields(spec.template.spec.template.spec, old.spec.template.spec.template.spec),
    warningsOnCreate: ({ spec }) => jobSpecWarnings(spec.template.spec, `${PATH}.spec`),
    warningsOnUpdate: ({ spec }, old) =>
      jobSpecWarnings(spec.template.spec, `${PATH}.spec`, old.spec.template.spec),
  },
});
