/**
 * Pure: what Tally's own kinds have in common. They behave as on a cluster with the manifests in
 * deploy/crds: without protobuf, and with the columns named there.
 *
 * Reading order: this file, job-template, scheduled-job, workflow with validate-workflow.
 */
import { OWN_GROUP, OWN_VERSION, type OwnColumn, ownKinds } from "../../api/generated/own-kinds.ts";
import type { KubeObject } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import type { Cell, Column, Kind } from "../kind.ts";
import { nameColumn } from "../meta/columns.ts";

type OwnFacts = Pick<
  Kind,
  | "group"
  | "version"
  | "kind"
  | "resource"
  | "singular"
  | "shortNames"
  | "namespaced"
  | "message"
  | "hasGeneration"
  | "isJsonOnly"
  | "columns"
  | "cells"
> & { readonly subresources?: NonNullable<Kind["subresources"]> };

export function ownKind(name: string): OwnFacts {
  const found = ownKinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`schema/tallyjob.json has no kind ${name}`);
  const { kind, plural, singular, shortNames, hasStatus, columns } = found;
  return {
    group: OWN_GROUP,
    version: OWN_VERSION,
    kind,
    resource: plural,
    singular,
    shortNames,
    namespaced: true,
    message: `tallyjob/${OWN_VERSION}.${kind}`,
    hasGeneration: true,
    isJsonOnly: true,
    ...(hasStatus ? { subresources: [{ name: "status", verbs: ["get", "patch", "update"] }] } : {}),
    columns: [nameColumn, ...columns.map(columnOf)],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map((column) => cellOf(object, column, now)),
    ],
  };
}

function columnOf({ name, type, description, priority }: OwnColumn): Column {
  return { name, type, description, ...(priority === undefined ? {} : { priority }) };
}

function cellOf(object: KubeObject, { jsonPath, type }: OwnColumn, now: Date): Cell {
  const value = valueAt(object, jsonPath);
  if (type === "date") return age(typeof value === "string" ? value : undefined, now);
  const isCell = ["string", "number", "boolean"].includes(typeof value);
  return isCell ? (value as Cell) : null;
}

/** For example ".status.job.name". A dot within a name is escaped by a backslash. */
function valueAt(object: unknown, jsonPath: string): unknown {
  let value = object;
  for (const part of jsonPath.split(/(?<!\\)\./).slice(1)) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as { readonly [key: string]: unknown })[part.replaceAll("\\.", ".")];
  }
  return value;
}
