/**
 * The ControllerRevision: an earlier version of a template, which its controller can roll back to.
 */

import { isEqual } from "../../api/equal.ts";
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { ControllerRevision } from "../../api/generated/apps.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { age } from "../../api/print/age.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import {
  IMMUTABLE,
  validateNonnegative,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";

export const controllerRevisionKind = defineKind<ControllerRevision>({
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  singular: "controllerrevision",
  namespaced: true,
  message: "apps/v1.ControllerRevision",
  rules: { validate, validateUpdate },
  columns: [
    nameColumn,
    { name: "Controller", type: "string", description: "Controller of the object" },
    {
      name: "Revision",
      type: "string",
      description: "Revision indicates the revision of the state represented by Data.",
    },
    ageColumn,
  ],
  cells: controllerRevisionCells,
});

function validate({ metadata, data, revision }: ControllerRevision): Finding[] {
  return [
    ...validateObjectMeta(metadata, { namespaced: true, nameRule: dns1123Subdomain }),
    ...validateData(data),
    ...validateNonnegative(revision, "revision"),
  ];
}

/** The recorded state must be a JSON object. */
function validateData(data: ControllerRevision["data"]): Finding[] {
  if (data === undefined || data === null) return [required("data", "data is mandatory")];
  if (typeof data === "object" && !Array.isArray(data)) return [];
  return [required("data", "data must be a valid JSON object")];
}

function validateUpdate(next: ControllerRevision, old: ControllerRevision): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateObjectMeta(next.metadata, { namespaced: true, nameRule: dns1123Subdomain }),
    ...validateNonnegative(next.revision, "revision"),
    ...(isEqual(next.data, old.data) ? [] : [invalid("data", next.data, IMMUTABLE)]),
  ];
}

function controllerRevisionCells({ metadata, revision }: ControllerRevision, now: Date): Cell[] {
  return [
    metadata.name ?? "",
    formatController(metadata),
    revision,
    age(metadata.creationTimestamp, now),
  ];
}

/** "statefulset.apps/web" */
function formatController(metadata: ControllerRevision["metadata"]): string {
  const controller = controllerOf({ metadata });
  if (controller === undefined) return "<none>";
  const { apiVersion, kind, name } = controller;
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0] ?? ""}` : "";
  return `${(kind + group).toLowerCase()}/${name}`;
}
