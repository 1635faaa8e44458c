/**
 * Pure: the rules for the metadata of all objects.
 *
 * A kind calls validateObjectMeta and validateObjectMetaUpdate in its own rules. In addition, the
 * server calls the common ones on every update of every kind. So the causes of a rejected update
 * may repeat a finding, as in Kubernetes. Continue with labels.ts, label-selector.ts and
 * standard-rules.ts. Nothing here knows a particular kind.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, quote, required, tooLong } from "../../api/finding.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../api/generated/meta.ts";
import {
  dns1123Label,
  type NameRule,
  pathSegment,
  prefixOf,
  qualifiedName,
} from "../../api/names.ts";
import { byteLength, validateAnnotations, validateLabels } from "./labels.ts";

export const IMMUTABLE = "field is immutable";
const FIELD_MANAGER_MAX_BYTES = 128;
const SUBRESOURCE_MAX_BYTES = 256;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";
const STANDARD_FINALIZERS = ["kubernetes", ORPHAN, FOREGROUND];

export interface MetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** The rule for generateName; by default the name rule, applied to a prefix. */
  readonly generateNameRule?: NameRule;
}

export function validateObjectMeta(
  meta: ObjectMeta,
  rules: MetaRules,
  path = "metadata",
  old?: ObjectMeta,
): Finding[] {
  const isKept = meta.finalizers === old?.finalizers;
  const ofFinalizers = isKept ? [] : validateQualified(meta.finalizers, path);
  return [...validateAnyMeta(meta, rules, path, old), ...ofFinalizers];
}

export function validateObjectMetaUpdate(
  next: ObjectMeta,
  old: ObjectMeta,
  path = "metadata",
): Finding[] {
  const isKept = next.finalizers === old.finalizers;
  const ofFinalizers = isKept ? [] : validateQualified(next.finalizers, path);
  return [...validateAnyMetaUpdate(next, old, path), ...ofFinalizers];
}

/** The server's checks of each object on creation, after the kind's own rules have passed. */
export function validateCommonMeta(
  meta: ObjectMeta,
  namespaced: boolean,
  old?: ObjectMeta,
): Finding[] {
  const rules = { namespaced, nameRule: pathSegment, generateNameRule: pathSegment };
  return validateAnyMeta(meta, rules, "metadata", old);
}

/** The server's checks of each update, before the kind's own rules. */
export function validateCommonMetaUpdate(
  next: ObjectMeta,
  old: ObjectMeta,
  namespaced: boolean,
): Finding[] {
  return [
    ...validateCommonMeta(next, namespaced, old),
    ...validateAnyMetaUpdate(next, old, "metadata"),
  ];
}

/** The checks of apimachinery for any API; Kubernetes' own kinds require more. */
export function validateAnyMeta(
  meta: ObjectMeta,
  rules: MetaRules,
  path: string,
  old?: ObjectMeta,
): Finding[] {
  const { name, generateName, namespace, finalizers } = meta;
  const isNamed = old && name === old.name && generateName === old.generateName;
  const isKept = isNamed && namespace === old.namespace;
  const { finalizers: before } = old ?? {};
  return [
    ...(isKept ? [] : validateName(meta, rules, path)),
    ...(isKept ? [] : validateNamespace(namespace, rules.namespaced, `${path}.namespace`)),
    ...validateNonnegative(meta.generation ?? 0, `${path}.generation`),
    ...validateShared(meta, old ?? {}, path),
    ...(finalizers === before ? [] : validateFinalizers(finalizers, `${path}.finalizers`)),
  ];
}

/** A list or map that is shared with the old object was validated when that was stored. */
function validateShared(meta: ObjectMeta, old: ObjectMeta, path: string): Finding[] {
  const { labels, annotations, ownerReferences: owners, managedFields } = meta;
  const findings: Finding[] = [];
  if (labels !== old.labels) findings.push(...validateLabels(labels, `${path}.labels`));
  if (annotations !== old.annotations) {
    findings.push(...validateAnnotations(annotations, `${path}.annotations`));
  }
  if (owners !== old.ownerReferences) {
    findings.push(...validateOwnerReferences(owners, `${path}.ownerReferences`));
  }
  if (managedFields !== old.managedFields) {
    findings.push(...validateManagedFields(managedFields, `${path}.managedFields`));
  }
  return findings;
}

export function validateAnyMetaUpdate(next: ObjectMeta, old: ObjectMeta, path: string): Finding[] {
  const findings: Finding[] = [];
  if (old.deletionTimestamp !== undefined) findings.push(...newFinalizers(next, old, path));
  if (next.resourceVersion === undefined) {
    const detail = "must be specified for an update";
    findings.push(invalid(`${path}.resourceVersion`, "", detail));
  }
  const generation = next.generation ?? 0;
  if (generation < (old.generation ?? 0)) {
    findings.push(invalid(`${path}.generation`, generation, "must not be decremented"));
  }
  return [
    ...findings,
    ...validateImmutable(next.name ?? "", old.name ?? "", `${path}.name`),
    ...validateImmutable(next.namespace ?? "", old.namespace ?? "", `${path}.namespace`),
    ...validateImmutable(next.uid ?? "", old.uid ?? "", `${path}.uid`),
    ...IMMUTABLE_TIMES.flatMap((field) =>
      validateImmutable(next[field], old[field], `${path}.${field}`),
    ),
    ...validateShared(next, old, path),
  ];
}

const IMMUTABLE_TIMES = [
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

export function validateImmutable(next: unknown, old: unknown, path: string): Finding[] {
  return isEqual(next, old) ? [] : [invalid(path, next, IMMUTABLE)];
}

export function validateNonnegative(value: number | bigint, path: string): Finding[] {
  return value < 0 ? [invalid(path, value, "must be greater than or equal to 0")] : [];
}

function validateName(meta: ObjectMeta, rules: MetaRules, path: string): Finding[] {
  const { generateName = "", name = "" } = meta;
  const prefixRule = rules.generateNameRule ?? prefixOf(rules.nameRule);
  const ofPrefix = generateName === "" ? [] : prefixRule(generateName);
  const findings = ofPrefix.map((problem) =>
    invalid(`${path}.generateName`, generateName, problem),
  );
  if (name === "") {
    return [...findings, required(`${path}.name`, "name or generateName is required")];
  }
  return [
    ...findings,
    ...rules.nameRule(name).map((problem) => invalid(`${path}.name`, name, problem)),
  ];
}

function validateNamespace(namespace = "", namespaced: boolean, path: string): Finding[] {
  if (!namespaced) return namespace === "" ? [] : [forbidden(path, "not allowed on this type")];
  if (namespace === "") return [required(path)];
  return dns1123Label(namespace).map((problem) => invalid(path, namespace, problem));
}

function validateOwnerReferences(
  references: readonly OwnerReference[] = [],
  path: string,
): Finding[] {
  const findings: Finding[] = [];
  let controller = "";
  for (const reference of references) {
    findings.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === "") {
      controller = name;
      continue;
    }
    const rule = "Only one reference can have Controller set to true.";
    const detail = `${rule} Found "true" in references for ${controller} and ${name}`;
    findings.push(invalid(path, references, detail));
  }
  return findings;
}

function validateOwnerReference(reference: OwnerReference, path: string): Finding[] {
  const { apiVersion, kind, name, uid } = reference;
  const findings: Finding[] = [];
  if (versionOf(apiVersion) === "") {
    findings.push(invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  }
  for (const [field, value] of Object.entries({ kind, name, uid })) {
    if (value === "") findings.push(invalid(`${path}.${field}`, value, "must not be empty"));
  }
  if (apiVersion === "v1" && kind === "Event") {
    const detail = "/v1, Kind=Event is disallowed from being an owner";
    findings.push(invalid(path, ownerAsJson(reference), detail));
  }
  return findings;
}

/** Also empty if the text has more than one slash, so that it is not an apiVersion at all. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split("/");
  return parts.length > 2 ? "" : (parts.at(-1) ?? "");
}

/** With the fields in the order of the type. */
function ownerAsJson(reference: OwnerReference): OwnerReference {
  const { apiVersion, kind, name, uid, ...rest } = reference;
  return { apiVersion, kind, name, uid, ...rest };
}

function validateFinalizers(finalizers: readonly string[] = [], path: string): Finding[] {
  const findings = finalizers.flatMap((finalizer) =>
    qualifiedName(finalizer).map((problem) => invalid(path, finalizer, problem)),
  );
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const detail = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
    findings.push(invalid(path, finalizers, detail));
  }
  return findings;
}

function validateQualified(finalizers: readonly string[] = [], path: string): Finding[] {
  return finalizers.flatMap((finalizer, at) =>
    validateQualifiedFinalizer(finalizer, `${path}.finalizers[${at}]`),
  );
}

/** A finalizer must be one of Kubernetes' own or be qualified with a domain. */
export function validateQualifiedFinalizer(finalizer: string, path: string): Finding[] {
  if (finalizer.includes("/") || STANDARD_FINALIZERS.includes(finalizer)) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(path, finalizer, detail)];
}

function newFinalizers(next: ObjectMeta, old: ObjectMeta, path: string): Finding[] {
  const known = new Set(old.finalizers);
  const added = [...new Set(next.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map(quote).join(", ")}}`;
  const rule = "no new finalizers can be added if the object is being deleted";
  return [forbidden(`${path}.finalizers`, `${rule}, found new finalizers ${list}`)];
}

function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] = [],
  path: string,
): Finding[] {
  return entries.flatMap((entry, at) => validateManagedFieldsEntry(entry, `${path}[${at}]`));
}

function validateManagedFieldsEntry(entry: ManagedFieldsEntry, path: string): Finding[] {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  const findings: Finding[] = [];
  if (operation !== "Apply" && operation !== "Update") {
    findings.push(invalid(`${path}.operation`, operation, "must be `Apply` or `Update`"));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    findings.push(invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  }
  findings.push(...validateFieldManager(manager, `${path}.manager`));
  if (byteLength(subresource) > SUBRESOURCE_MAX_BYTES) {
    findings.push(tooLong(`${path}.subresource`, SUBRESOURCE_MAX_BYTES));
  }
  return findings;
}

export function validateFieldManager(manager: string, path: string): Finding[] {
  const findings: Finding[] = [];
  if (byteLength(manager) > FIELD_MANAGER_MAX_BYTES) {
    findings.push(tooLong(path, FIELD_MANAGER_MAX_BYTES));
  }
  let position = 0;
  for (const char of manager.slice(0, LOOKED_AT)) {
    if (!PRINTABLE.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      const detail = `invalid character U+${code} (at position ${position})`;
      findings.push(invalid(path, manager, detail));
    }
    position += byteLength(char);
  }
  return findings;
}

/** Far more than a manager may have: an answer does not name more mistakes than that. */
const LOOKED_AT = 2_000;

/** Go's unicode.IsPrint. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
