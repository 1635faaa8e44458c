/** Pure: the query parameters of each verb, checked as Kubernetes checks them. */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { type Finding, forbidden, notSupported, quote } from "../../api/finding.ts";
import { validateFieldManager } from "../../kinds/meta/object-meta.ts";
import { type DeleteOptions, validateDryRun } from "../verbs/delete-options.ts";
import type { ListOptions } from "../verbs/list.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

export function parseWriteQuery(query: URLSearchParams, kind: WriteOptionsKind): WriteQuery {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const findings: Finding[] = [
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...validateDryRun(dryRun),
    ...validateFieldValidation(validation),
  ];
  if (kind === "PatchOptions" && query.get("force") !== null) {
    findings.unshift(forbidden("force", "may not be specified for non-apply patch"));
  }
  if (findings.length > 0) throw invalidObject({ group: "meta.k8s.io", kind }, "", findings);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
  };
}

function validateFieldValidation(value: string): Finding[] {
  if (["", "Ignore", "Strict", "Warn"].includes(value)) return [];
  return [notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])];
}

export function parseListQuery(query: URLSearchParams): ListOptions {
  return {
    ...text(query, "labelSelector"),
    ...text(query, "fieldSelector"),
    ...text(query, "continue"),
    ...text(query, "resourceVersion"),
    ...text(query, "resourceVersionMatch"),
    ...integer(query, "limit"),
    ...integer(query, "timeoutSeconds"),
    ...flag(query, "watch"),
    ...flag(query, "allowWatchBookmarks"),
    ...flag(query, "sendInitialEvents"),
  };
}

export function parseDeleteQuery(query: URLSearchParams): DeleteOptions {
  const dryRun = query.getAll("dryRun");
  return {
    ...integer(query, "gracePeriodSeconds"),
    ...flag(query, "orphanDependents"),
    ...text(query, "propagationPolicy"),
    ...(dryRun.length > 0 ? { dryRun } : {}),
  };
}

function text<Name extends string>(query: URLSearchParams, name: Name): { [K in Name]?: string } {
  const value = query.get(name);
  return (value === null || value === "" ? {} : { [name]: value }) as { [K in Name]?: string };
}

function integer<Name extends string>(
  query: URLSearchParams,
  name: Name,
): { [K in Name]?: number } {
  const value = query.get(name);
  if (value === null || value === "") return {};
  if (!/^[+-]?[0-9]+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`);
  }
  return { [name]: Number(value) } as { [K in Name]?: number };
}

/** As Kubernetes reads them: "false" and "0" are false, anything else given is true. */
function flag<Name extends string>(query: URLSearchParams, name: Name): { [K in Name]?: boolean } {
  const value = query.get(name);
  if (value === null) return {};
  const truth = value !== "false" && value !== "0";
  return { [name]: truth } as { [K in Name]?: boolean };
}
