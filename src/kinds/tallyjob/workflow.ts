/** Pure: the Workflow: Jobs that depend on each other. */
import type { Workflow } from "../../api/generated/tallyjob.ts";
import { dns1123Label } from "../../api/names.ts";
import { type Draft, kept } from "../../api/object.ts";
import { setJobTemplateDefaults } from "../job/defaults.ts";
import { jobSpecWarnings } from "../job/warnings.ts";
import { defineKind } from "../kind.ts";
import { validateConditions } from "../meta/conditions.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { ownKind } from "./own-kind.ts";
import { validateWorkflowChange, validateWorkflowSpec } from "./validate-workflow.ts";

export const workflowKind = defineKind<Workflow>({
  ...ownKind("Workflow"),
  sharesParts: true,
  rules: {
    setDefaults,
    prepareForCreate: (workflow) => {
      workflow.status = {};
      for (const { template } of workflow.spec.jobs ?? []) {
        if (template) dropDisabledPodFields(template.spec.template.spec);
      }
    },
    // The name is used as a label of its Jobs.
    validate: ({ metadata, spec }) => [
      ...validateObjectMeta(metadata, { namespaced: true, nameRule: dns1123Label }),
      ...validateWorkflowSpec(spec),
    ],
    warningsOnCreate: ({ spec }) =>
      (spec.jobs ?? []).flatMap(({ template }, at) =>
        template ? jobSpecWarnings(template.spec, `spec.jobs[${at}].template.spec`) : [],
      ),
    prepareForUpdate: (next, old) => {
      next.status = kept(old.status);
    },
    validateUpdate: (next, old) => [
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...validateWorkflowChange(next.spec, old.spec),
    ],
    validateStatusUpdate: ({ status }) =>
      validateConditions(status.conditions, "status.conditions"),
  },
});

/** A spec that is shared with the old object already has its defaults. */
function setDefaults({ spec }: Draft<Workflow>, _gates?: unknown, old?: Workflow): void {
  if (spec === old?.spec) return;
  spec.suspend ??= false;
  spec.retries ??= 0;
  for (const [at, { template }] of (spec.jobs ?? []).entries()) {
    if (template && template !== old?.spec.jobs?.[at]?.template) {
      setJobTemplateDefaults(template.spec);
    }
  }
}
