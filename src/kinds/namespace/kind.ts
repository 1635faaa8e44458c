/**
 * Pure: Namespaces. A deleted Namespace is kept by a finalizer in its spec, which only the
 * subresource "finalize" may change. Until then its phase is Terminating.
 */
import { type Finding, invalid } from "../../api/finding.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { dns1123Label, qualifiedName } from "../../api/names.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateQualifiedFinalizer,
} from "../meta/object-meta.ts";
import { columns } from "./columns.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";
const FINALIZER = "kubernetes";

export const namespaceKind = defineKind<Namespace>({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  singular: "namespace",
  namespaced: false,
  shortNames: ["ns"],
  message: "core/v1.Namespace",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [
    { name: "finalize", verbs: ["update"] },
    { name: "status", verbs: ["get", "patch", "update"] },
  ],
  rules: {
    setDefaults,
    prepareForCreate,
    validate,
    prepareForUpdate,
    validateUpdate,
    validateStatusUpdate,
    parts: { finalize: { prepare: keepStatus, validate: validateFinalizeUpdate } },
  },
  deletion: { returnsObject: true },
  selectableFields: { "status.phase": ({ status }) => status.phase ?? "" },
  columns,
  cells: ({ metadata, status }, now) => [
    metadata.name ?? "",
    status.phase ?? "",
    age(metadata.creationTimestamp, now),
  ],
});

function setDefaults(namespace: Draft<Namespace>): void {
  namespace.status.phase ??= "Active";
  labelWithName(namespace);
}

/** Allows label selectors to select namespaces by name. */
function labelWithName(namespace: Draft<Namespace>): void {
  const { name, labels } = namespace.metadata;
  if (name === undefined || labels?.[NAME_LABEL] === name) return;
  const entries = Object.entries({ ...labels, [NAME_LABEL]: name });
  namespace.metadata.labels = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function prepareForCreate(namespace: Draft<Namespace>): void {
  labelWithName(namespace);
  namespace.status = { phase: "Active" };
  const finalizers = namespace.spec.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) namespace.spec.finalizers = [...finalizers, FINALIZER];
}

function prepareForUpdate(next: Draft<Namespace>, old: Namespace): void {
  if (old.spec.finalizers === undefined) delete next.spec.finalizers;
  else next.spec.finalizers = [...old.spec.finalizers];
}

function validate(namespace: Namespace): Finding[] {
  const rules = { namespaced: false, nameRule: dns1123Label };
  return [
    ...validateObjectMeta(namespace.metadata, rules),
    ...(namespace.spec.finalizers ?? []).flatMap((finalizer) =>
      validateSpecFinalizer(finalizer, "spec.finalizers"),
    ),
  ];
}

function validateUpdate(next: Namespace, old: Namespace): Finding[] {
  return [...validate(next), ...validateObjectMetaUpdate(next.metadata, old.metadata)];
}

function validateStatusUpdate(next: Namespace, old: Namespace): Finding[] {
  const findings = validateObjectMetaUpdate(next.metadata, old.metadata);
  const { phase = "" } = next.status;
  if (next.metadata.deletionTimestamp === undefined) {
    if (phase === "Active") return findings;
    const detail = "may only be 'Active' if `deletionTimestamp` is empty";
    return [...findings, invalid("status.Phase", phase, detail)];
  }
  if (phase === "Terminating") return findings;
  const detail = "may only be 'Terminating' if `deletionTimestamp` is not empty";
  return [...findings, invalid("status.Phase", phase, detail)];
}

function keepStatus(next: Draft<Namespace>, old: Namespace): void {
  next.status = draftOf(old.status);
}

function validateFinalizeUpdate(next: Namespace, old: Namespace): Finding[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...(next.spec.finalizers ?? []).flatMap((finalizer, at) =>
      validateSpecFinalizer(finalizer, `spec.finalizers[${at}]`),
    ),
  ];
}

function validateSpecFinalizer(finalizer: string, path: string): Finding[] {
  const findings = qualifiedName(finalizer).map((problem) => invalid(path, finalizer, problem));
  return [...findings, ...validateQualifiedFinalizer(finalizer, path)];
}
