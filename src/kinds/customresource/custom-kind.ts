/** Pure: turns a version of a CustomResourceDefinition into a Kind. */
import { type Finding, invalid } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/generated/apiextensions.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { apiVersionOf, type Kind, type Rules, type Subresource } from "../kind.ts";
import { validateAnyMeta, validateAnyMetaUpdate } from "../meta/object-meta.ts";
import { printedColumns } from "./columns.ts";
import { decodeCustom } from "./decode.ts";
import { withDefaults } from "./defaults.ts";
import { type CustomScale, customScale, stepsOf, valueAt } from "./scale.ts";
import type { Schema } from "./schema.ts";
import { storedForm } from "./stored-form.ts";
import { validateContent } from "./validate.ts";

/** The definition must be valid and have its names accepted. */
export function customKind(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Kind {
  const { group, scope, versions } = definition.spec;
  const names = definition.status.acceptedNames;
  const schema: Schema = schemaOf(definition, version);
  const { status, scale: paths } = version.subresources ?? {};
  const scale = paths && customScale(paths);
  const target = { group, version: version.name, kind: names.kind };
  const stored = versions?.find(({ storage }) => storage)?.name ?? version.name;
  return {
    ...target,
    resource: names.plural,
    singular: names.singular ?? "",
    namespaced: scope === "Namespaced",
    ...(names.shortNames?.length ? { shortNames: names.shortNames } : {}),
    ...(names.categories?.length ? { categories: names.categories } : {}),
    message: "",
    isJsonOnly: true,
    hasGeneration: true,
    createsOnUpdate: false,
    ...subresourcesOf(status !== undefined, scale),
    rules: rulesOf({ ...target, schema, scale, namespaced: scope === "Namespaced" }, !!status),
    selectableFields: selectableFields(version),
    ...printedColumns(version.additionalPrinterColumns),
    storedAs: {
      resource: `${names.plural}.${group}`,
      ...storedForm({ shown: apiVersionOf(target), stored: `${group}/${stored}`, schema }),
    },
    ...(version.deprecated ? { deprecation: deprecationOf(target, version) } : {}),
    custom: {
      schema,
      listKind: names.listKind ?? `${names.kind}List`,
      storageVersion: stored,
      isTerminating: definition.metadata.deletionTimestamp !== undefined,
      decode: (json) => decodeCustom(json, schema),
      ...(scale ? { scale } : {}),
    },
  };
}

/** If pruning is disabled, the schema preserves unknown fields from the root on. */
function schemaOf(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Schema {
  const schema = version.schema?.openAPIV3Schema ?? { type: "object" };
  if (!spec.preserveUnknownFields) return schema;
  return { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

function subresourcesOf(
  hasStatus: boolean,
  scale: CustomScale | undefined,
): { readonly subresources?: readonly Subresource[] } {
  const found: Subresource[] = [];
  if (hasStatus) found.push({ name: "status", verbs: ["get", "patch", "update"] });
  if (scale) {
    const payload = { group: "autoscaling", version: "v1", kind: "Scale" };
    found.push({ name: "scale", ...payload, verbs: ["get", "patch", "update"] });
  }
  return found.length === 0 ? {} : { subresources: found };
}

function deprecationOf(
  target: { readonly group: string; readonly version: string; readonly kind: string },
  { deprecationWarning }: CustomResourceDefinitionVersion,
): string {
  return deprecationWarning ?? `${apiVersionOf(target)} ${target.kind} is deprecated`;
}

function selectableFields(
  version: CustomResourceDefinitionVersion,
): NonNullable<Kind["selectableFields"]> {
  const fields = (version.selectableFields ?? []).map(({ jsonPath }) => {
    const steps = stepsOf(jsonPath);
    return [steps.join("."), (object: KubeObject) => String(valueAt(object, steps) ?? "")] as const;
  });
  return Object.fromEntries(fields);
}

interface Ruled {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly schema: Schema;
  readonly scale: CustomScale | undefined;
}

type Parts = { [key: string]: Json };

function rulesOf(ruled: Ruled, hasStatus: boolean): Rules<KubeObject> {
  const { schema, namespaced, scale } = ruled;
  const metaRules = { namespaced, nameRule: dns1123Subdomain };
  const judge = (next: KubeObject, old?: KubeObject): Finding[] => [
    ...validateTypeMeta(next, ruled),
    ...validateContent(next, old, schema),
    ...(scale?.validate(next) ?? []),
  ];
  return {
    setDefaults: (object) => {
      const filled = withDefaults(object as unknown as Json, schema);
      if (filled !== (object as unknown)) Object.assign(object, filled);
    },
    prepareForCreate: (object) => {
      if (hasStatus) delete (object as unknown as Parts)["status"];
    },
    validate: (object) => [
      ...validateTypeMeta(object, ruled),
      ...validateAnyMeta(object.metadata, metaRules, "metadata"),
      ...validateContent(object, undefined, schema),
      ...(scale?.validate(object) ?? []),
    ],
    validateUpdate: (next, old) => [
      ...validateAnyMetaUpdate(next.metadata, old.metadata, "metadata"),
      ...judge(next, old),
    ],
    prepareForStatusUpdate: keepAllButStatus,
    validateStatusUpdate: (next, old) => [
      ...validateAnyMetaUpdate(next.metadata, old.metadata, "metadata"),
      ...judge(next, old),
    ],
  };
}

function validateTypeMeta({ apiVersion, kind }: KubeObject, ruled: Ruled): Finding[] {
  const expected = apiVersionOf(ruled);
  return [
    ...(kind === ruled.kind ? [] : [invalid("kind", kind, `must be ${ruled.kind}`)]),
    ...(apiVersion === expected ? [] : [invalid("apiVersion", apiVersion, `must be ${expected}`)]),
  ];
}

/**
 * Restores everything except the status, including labels and annotations: for custom resources a
 * status update only writes the status.
 */
function keepAllButStatus(next: Draft<KubeObject>, old: KubeObject): void {
  const parts = next as unknown as Parts;
  const before = old as unknown as Parts;
  const { resourceVersion, managedFields } = next.metadata;
  for (const field of new Set([...Object.keys(parts), ...Object.keys(before)])) {
    if (field === "status") continue;
    if (before[field] === undefined) delete parts[field];
    else parts[field] = before[field];
  }
  next.metadata = {
    ...(old.metadata as Draft<KubeObject>["metadata"]),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}
