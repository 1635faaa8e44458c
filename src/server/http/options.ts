/** Pure: parses and validates the query parameters of each verb like Kubernetes. */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { type Finding, forbidden, notSupported, quote, required } from "../../api/finding.ts";
import { validateFieldManager } from "../../kinds/meta/object-meta.ts";
import { type DeleteOptions, validateDryRun } from "../verbs/delete-options.ts";
import type { ListOptions } from "../verbs/list.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Only for apply: take over fields of other managers. */
  readonly force: boolean;
}

/** ApplyOptions is named PatchOptions in messages, but has rules of its own. */
export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "ApplyOptions";

export function parseWriteQuery(query: URLSearchParams, kind: WriteOptionsKind): WriteQuery {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const findings: Finding[] = [
    ...validateFieldManager(fieldManager, "fieldManager"),
    ...validateDryRun(dryRun),
    ...validateFieldValidation(validation),
  ];
  findings.unshift(...validateApply(query, kind, fieldManager));
  if (findings.length > 0) {
    const name = kind === "ApplyOptions" ? "PatchOptions" : kind;
    throw invalidObject({ group: "meta.k8s.io", kind: name }, "", findings);
  }
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    force: flag(query, "force").force ?? false,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
  };
}

function validateApply(query: URLSearchParams, kind: WriteOptionsKind, manager: string): Finding[] {
  if (kind === "ApplyOptions") {
    return manager === "" ? [required("fieldManager", "is required for apply patch")] : [];
  }
  if (kind !== "PatchOptions" || query.get("force") === null) return [];
  return [forbidden("force", "may not be specified for non-apply patch")];
}

const MANAGER_BYTES_MAX = 128;

/** The default field manager is the first part of the User-Agent. */
export function managerOfAgent(userAgent = ""): string {
  let name = "";
  for (const character of userAgent.split("/", 1)[0] ?? "") {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    if (Buffer.byteLength(name + character) > MANAGER_BYTES_MAX) break;
    name += character;
  }
  return name;
}

function validateFieldValidation(value: string): Finding[] {
  if (["", "Ignore", "Strict", "Warn"].includes(value)) return [];
  return [notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])];
}

export function parseGetQuery(query: URLSearchParams): { resourceVersion?: string } {
  if (flag(query, "export").export) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return text(query, "resourceVersion");
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
  const preconditions = { ...given(query, "uid"), ...given(query, "resourceVersion") };
  return {
    ...integer(query, "gracePeriodSeconds"),
    ...flag(query, "orphanDependents"),
    ...given(query, "propagationPolicy"),
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
  };
}

/** For fields in which an empty text differs from an absent one. */
function given<Name extends string>(query: URLSearchParams, name: Name): { [K in Name]?: string } {
  const value = query.get(name);
  return (value === null ? {} : { [name]: value }) as { [K in Name]?: string };
}

function text<Name extends string>(query: URLSearchParams, name: Name): { [K in Name]?: string } {
  const value = query.get(name);
  return (value === null || value === "" ? {} : { [name]: value }) as { [K in Name]?: string };
}

/** If a parameter is repeated, the first one counts. */
export function integer<Name extends string>(
  query: URLSearchParams,
  name: Name,
): { [K in Name]?: number } {
  const value = query.get(name);
  if (value === null) return {};
  const problem = integerProblem(value);
  if (problem) throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: ${problem}`);
  return { [name]: Number(value) } as { [K in Name]?: number };
}

const INT64_MAX = 2n ** 63n - 1n;

function integerProblem(text: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return "invalid syntax";
  const value = BigInt(text.replace("+", ""));
  return value > INT64_MAX || value < -INT64_MAX - 1n ? "value out of range" : undefined;
}

/** As Kubernetes parses them: "false" and "0" are false, any other value is true. */
export function flag<Name extends string>(
  query: URLSearchParams,
  name: Name,
): { [K in Name]?: boolean } {
  const value = query.get(name);
  if (value === null) return {};
  const truth = value.toLowerCase() !== "false" && value !== "0";
  return { [name]: truth } as { [K in Name]?: boolean };
}
