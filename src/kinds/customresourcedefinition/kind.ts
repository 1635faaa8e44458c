/**
 * Pure: CustomResourceDefinitions: kinds that users define.
 *
 * Reading order: this file, rules (loaded on demand), validate (names, versions), validate-version,
 * validate-schema (the contents of a schema) with validate-structural, validate-extensions and
 * validate-rules, then conditions. server/customresources handles stored definitions;
 * kinds/customresource implements their objects.
 */
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { Draft } from "../../api/object.ts";
import { defineKind } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";
import { CLEANUP_FINALIZER, markTerminating } from "./deletion.ts";
import { definitionRules } from "./rules.ts";

export const customResourceDefinitionKind = defineKind<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  singular: "customresourcedefinition",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  message: "apiextensions/v1.CustomResourceDefinition",
  hasGeneration: true,
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  rules: {
    setDefaults,
    prepareForCreate: (definition) => {
      definition.status = { conditions: null, acceptedNames: NO_NAMES, storedVersions: null };
      rememberStored(definition);
    },
    validate: (definition) => definitionRules().validate(definition),
    warningsOnCreate: (definition) => definitionRules().warnings(definition),
    prepareForUpdate: rememberStored,
    validateUpdate: (next, old) => definitionRules().validateUpdate(next, old),
    validateStatusUpdate: (next, old) => definitionRules().validateStatusUpdate(next, old),
  },
  deletion: { finalizer: CLEANUP_FINALIZER, mark: markTerminating },
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
});

const NO_NAMES = { plural: "", kind: "" };
const WEBHOOK_PORT = 443;

function setDefaults({ spec }: Draft<CustomResourceDefinition>): void {
  const { names } = spec;
  if (names.singular === undefined) names.singular = names.kind.toLowerCase();
  if (names.listKind === undefined && names.kind !== "") names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const { webhook } = spec.conversion;
  // A webhook without any settings is removed.
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length) {
    delete spec.conversion.webhook;
  }
  const service = webhook?.clientConfig?.service;
  if (service && service.port === undefined) service.port = WEBHOOK_PORT;
}

/** A version that objects were once stored with stays in storedVersions until a user removes it. */
function rememberStored({ spec, status }: Draft<CustomResourceDefinition>): void {
  const stored = status.storedVersions ?? [];
  for (const { name, storage } of spec.versions ?? []) {
    if (storage && !stored.includes(name)) status.storedVersions = [...stored, name];
  }
}
