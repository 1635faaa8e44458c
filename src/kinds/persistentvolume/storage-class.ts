/** Pure: StorageClasses: how volumes for claims are provisioned. */
import { type Finding, invalid, notSupported, required, tooLong } from "../../api/finding.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import { dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { invalidEach } from "../pod/syntax.ts";
import { validateTopologies } from "./topologies.ts";

const RECLAIM_POLICIES = ["Delete", "Retain"];
const BINDING_MODES = ["Immediate", "WaitForFirstConsumer"];
const DEFAULT_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassKind = defineKind<StorageClass>({
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  singular: "storageclass",
  namespaced: false,
  shortNames: ["sc"],
  message: "storage/v1.StorageClass",
  rules: { setDefaults, validate, validateUpdate },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Provisioner", "provisioner indicates the type of the provisioner."),
    column(
      "ReclaimPolicy",
      "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of " +
        "this storage class. Defaults to Delete.",
    ),
    column(
      "VolumeBindingMode",
      "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  " +
        "When unset, VolumeBindingImmediate is used. This field is only honored by servers that " +
        "enable the VolumeScheduling feature.",
    ),
    column(
      "AllowVolumeExpansion",
      "allowVolumeExpansion shows whether the storage class allow volume expand.",
    ),
    ageColumn,
  ],
  cells: (storageClass, now) => [
    isDefaultClass(storageClass)
      ? `${storageClass.metadata.name ?? ""} (default)`
      : (storageClass.metadata.name ?? ""),
    storageClass.provisioner,
    storageClass.reclaimPolicy ?? "Delete",
    storageClass.volumeBindingMode ?? "Immediate",
    storageClass.allowVolumeExpansion ?? false,
    age(storageClass.metadata.creationTimestamp, now),
  ],
});

export function isDefaultClass({ metadata }: StorageClass): boolean {
  return DEFAULT_ANNOTATIONS.some((key) => metadata.annotations?.[key] === "true");
}

function setDefaults(storageClass: Draft<StorageClass>): void {
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

function validate(storageClass: StorageClass): Finding[] {
  const { metadata, provisioner, reclaimPolicy = "", volumeBindingMode } = storageClass;
  const findings = validateObjectMeta(metadata, { namespaced: false, nameRule: dns1123Subdomain });
  if (provisioner === "") findings.push(required("provisioner"));
  else {
    const name = provisioner.toLowerCase();
    findings.push(...invalidEach("provisioner", name, qualifiedName(name)));
  }
  findings.push(...validateParameters(storageClass.parameters));
  if (reclaimPolicy !== "" && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    findings.push(notSupported("reclaimPolicy", reclaimPolicy, RECLAIM_POLICIES));
  }
  if (volumeBindingMode === undefined) findings.push(required("volumeBindingMode"));
  else if (!BINDING_MODES.includes(volumeBindingMode)) {
    findings.push(notSupported("volumeBindingMode", volumeBindingMode, BINDING_MODES));
  }
  return [...findings, ...validateTopologies(storageClass.allowedTopologies ?? [])];
}

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

function validateParameters(parameters: StorageClass["parameters"] = {}): Finding[] {
  const entries = Object.entries(parameters);
  const findings: Finding[] = [];
  if (entries.length > MAX_PARAMETERS) findings.push(tooLong("parameters", MAX_PARAMETERS));
  for (const [name] of entries) {
    if (name === "") findings.push(invalid("parameters", name, "field can not be empty."));
  }
  const bytes = entries.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_PARAMETER_BYTES) findings.push(tooLong("parameters", MAX_PARAMETER_BYTES));
  return findings;
}

function validateUpdate(next: StorageClass, old: StorageClass): Finding[] {
  const fixed = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const;
  return [
    ...validateObjectMeta(next.metadata, { namespaced: false, nameRule: dns1123Subdomain }),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...fixed.flatMap((field) => validateImmutable(next[field], old[field], field)),
  ];
}
