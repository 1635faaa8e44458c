/** Pure: PodTemplates: templates that no controller uses. */
import type { PodTemplate } from "../../api/generated/core.ts";
import { formatLabels } from "../../api/print/selector.ts";
import { defineKind } from "../kind.ts";
import { column, nameColumn } from "../meta/columns.ts";
import { validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";
import { podTemplateWarnings } from "../pod/warnings.ts";
import { containerImages, containerNames } from "../print/pod-template.ts";

const standard = standardRules<PodTemplate>({ namespaced: true });

export const podTemplateKind = defineKind<PodTemplate>({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  singular: "podtemplate",
  namespaced: true,
  message: "core/v1.PodTemplate",
  hasGeneration: true,
  createsOnUpdate: true,
  rules: {
    ...standard,
    validate: (object) => [
      ...standard.validate(object),
      ...validatePodTemplateSpec(object.template, "template"),
    ],
    validateUpdate: (next, old) => [
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...validatePodTemplateSpec(next.template, "template"),
    ],
    warningsOnCreate: ({ template }) => podTemplateWarnings(template, "template"),
    warningsOnUpdate: (next, old) => podTemplateWarnings(next.template, "template", old.template),
    setDefaults: ({ template }) => setPodTemplateDefaults(template),
  },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Containers", "Names of each container in the template."),
    column("Images", "Images referenced by each container in the template."),
    column("Pod Labels", "The labels for the pod template."),
  ],
  cells: ({ metadata, template }) => [
    metadata.name ?? "",
    containerNames(template.spec),
    containerImages(template.spec),
    formatLabels(template.metadata.labels),
  ],
});
