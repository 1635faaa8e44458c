/** Pure: PodTemplates: templates that nobody instantiates. */
import type { PodTemplate } from "../../api/generated/core.ts";
import { defineKind } from "../kind.ts";
import { column, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";
import { containerImages, containerNames } from "../print/pod-template.ts";
import { formatLabels } from "../print/selector.ts";

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
    ...standardRules<PodTemplate>({ namespaced: true }),
    setDefaults: ({ template }) => setPodTemplateDefaults(template),
  },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Containers", "The containers of the template."),
    column("Images", "The images of these containers."),
    column("Pod Labels", "The labels of the template."),
  ],
  cells: ({ metadata, template }) => [
    metadata.name ?? "",
    containerNames(template.spec),
    containerImages(template.spec),
    formatLabels(template.metadata.labels),
  ],
});
