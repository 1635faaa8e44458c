/** Pure: converts the selectors of a query to a filter and, if possible, an index lookup. */
import type { KubeObject } from "../../api/object.ts";
import {
  checkFields,
  type FieldRequirement,
  findFieldEquality,
  matchesFields,
  parseFieldSelector,
} from "../../api/selectors/field-selector-query.ts";
import {
  findEquality,
  matchesLabels,
  parseLabelSelector,
  type Requirement,
} from "../../api/selectors/label-selector-query.ts";
import { type Kind, storageResource } from "../../kinds/kind.ts";
import type { IndexLookup } from "../../store/types.ts";
import { INDEXES } from "../indexes.ts";

export interface Selection {
  /** Absent if every object of the collection matches. */
  readonly matches?: (object: KubeObject) => boolean;
  readonly lookup?: IndexLookup;
}

export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export function parseSelection(kind: Kind, selectors: Selectors): Selection {
  const labels = parseLabels(selectors.labelSelector ?? "");
  const fields = parseFields(kind, selectors.fieldSelector ?? "");
  if (labels.length === 0 && fields.length === 0) return {};
  const matches = (object: KubeObject): boolean =>
    matchesLabels(labels, object.metadata.labels ?? {}) &&
    matchesFields(fields, (field) => fieldOf(kind, object, field));
  const lookup = findLookup(kind, labels, fields);
  return { matches, ...(lookup ? { lookup } : {}) };
}

function findLookup(
  kind: Kind,
  labels: readonly Requirement[],
  fields: readonly FieldRequirement[],
): IndexLookup | undefined {
  for (const index of Object.keys(INDEXES[storageResource(kind)] ?? {})) {
    const [where, name = ""] = index.split(/:(.*)/);
    const value =
      where === "label"
        ? findEquality(labels, name)
        : where === "field"
          ? findFieldEquality(fields, name)
          : undefined;
    if (value !== undefined && value !== "") return { index, value };
  }
  return undefined;
}

function parseLabels(text: string): readonly Requirement[] {
  return text === "" ? [] : parseLabelSelector(text);
}

function parseFields(kind: Kind, text: string): readonly FieldRequirement[] {
  if (text === "") return [];
  const requirements = parseFieldSelector(text);
  checkFields(requirements, kind);
  return requirements;
}

function fieldOf(kind: Kind, object: KubeObject, field: string): string {
  if (field === "metadata.name") return object.metadata.name ?? "";
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  return kind.selectableFields?.[field]?.(object) ?? "";
}
