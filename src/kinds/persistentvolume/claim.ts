/**
 * Pure: PersistentVolumeClaims: the storage that a pod requests. The other files of the folder are
 * volume.ts (existing storage) and storage-class.ts (how it is provisioned).
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden } from "../../api/finding.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { compareQuantities, getQuantity } from "../../api/quantity.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { setClaimResourceDefaults } from "../pod/defaults-volume.ts";
import { validatePersistentVolumeClaimSpec } from "../pod/validate-volume-claim.ts";
import { byteWarnings } from "../pod/warnings-bytes.ts";
import { ABOUT_VOLUMES, CLASS_ANNOTATION, formatAccessModes } from "./access.ts";

export const persistentVolumeClaimKind = defineKind<PersistentVolumeClaim>({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  namespaced: true,
  shortNames: ["pvc"],
  message: "core/v1.PersistentVolumeClaim",
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  rules: {
    setDefaults,
    prepareForCreate,
    validate,
    warningsOnCreate: claimWarnings,
    prepareForUpdate: ({ spec }, old) => settleDataSources(spec, old.spec),
    validateUpdate,
    warningsOnUpdate: claimWarnings,
    validateStatusUpdate: (next, old) => validateObjectMetaUpdate(next.metadata, old.metadata),
  },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Status", "phase represents the current phase of PersistentVolumeClaim."),
    column(
      "Volume",
      "volumeName is the binding reference to the PersistentVolume backing this claim.",
    ),
    column("Capacity", "capacity represents the actual resources of the underlying volume."),
    column(
      "Access Modes",
      "accessModes contains the actual access modes the volume backing the PVC has. " +
        `${ABOUT_VOLUMES}#access-modes-1`,
    ),
    column("StorageClass", "StorageClass of the pvc"),
    column("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
    ageColumn,
    column(
      "VolumeMode",
      "volumeMode defines what type of volume is required by the claim. Value of Filesystem is " +
        "implied when not included in claim spec.",
      { wide: true },
    ),
  ],
  cells,
});

function setDefaults({ spec, status }: Draft<PersistentVolumeClaim>): void {
  status.phase ??= "Pending";
  spec.volumeMode ??= "Filesystem";
  setClaimResourceDefaults(spec.resources);
}

function prepareForCreate(claim: Draft<PersistentVolumeClaim>): void {
  claim.status = { phase: "Pending" };
  settleDataSources(claim.spec);
}

/**
 * A source has two fields. The older one only supports claims and snapshots, and anything else in
 * it is dropped. If one of the two is missing, it is copied from the other. A source in another
 * namespace is dropped completely.
 */
function settleDataSources(
  spec: Draft<PersistentVolumeClaimSpec>,
  old?: PersistentVolumeClaimSpec,
): void {
  if (!old?.dataSourceRef?.namespace) {
    if (spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
    else delete spec.dataSourceRef?.namespace;
  }
  if (old?.dataSource === undefined && !isClassicSource(spec.dataSource)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    spec.dataSourceRef = { ...dataSource };
  }
  if (dataSource === undefined && dataSourceRef?.namespace === undefined && dataSourceRef) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
  }
}

function isClassicSource(source: PersistentVolumeClaimSpec["dataSource"]): boolean {
  const group = source?.apiGroup ?? "";
  if (source?.kind === "PersistentVolumeClaim") return group === "";
  return source?.kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io";
}

function claimWarnings({ spec }: PersistentVolumeClaim): string[] {
  const { requests, limits } = spec.resources;
  return [
    ...byteWarnings(requests, "spec.resources.requests", ["storage"]),
    ...byteWarnings(limits, "spec.resources.limits", ["storage"]),
  ];
}

function validate({ metadata, spec }: PersistentVolumeClaim): Finding[] {
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  return [
    ...validateObjectMeta(metadata, rules),
    ...validatePersistentVolumeClaimSpec(spec, "spec"),
  ];
}

function validateUpdate(next: PersistentVolumeClaim, old: PersistentVolumeClaim): Finding[] {
  return [
    ...validate(next),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateSpecChange(next, old),
    ...validateShrinking(next, old),
    ...validateImmutable(next.spec.volumeMode, old.spec.volumeMode, "volumeMode"),
  ];
}

/** The volume can be named once, and a bound claim may grow; everything else is immutable. */
function validateSpecChange(next: PersistentVolumeClaim, old: PersistentVolumeClaim): Finding[] {
  const allowed = draftOf(old.spec);
  const { volumeName, storageClassName, volumeAttributesClassName, resources } = next.spec;
  if (old.spec.volumeName === undefined && volumeName !== undefined)
    allowed.volumeName = volumeName;
  if (old.spec.storageClassName === undefined && storageClassName !== undefined) {
    allowed.storageClassName = storageClassName;
  }
  if (next.status.phase === "Bound") {
    if (resources.requests) allowed.resources.requests = { ...resources.requests };
    if (volumeAttributesClassName !== undefined) {
      allowed.volumeAttributesClassName = volumeAttributesClassName;
    }
  }
  if (isEqual(next.spec, allowed)) return [];
  const exceptions = "resources.requests and volumeAttributesClassName for bound claims";
  return [forbidden("spec", `spec is immutable after creation except ${exceptions}`)];
}

function validateShrinking(next: PersistentVolumeClaim, old: PersistentVolumeClaim): Finding[] {
  const size = next.spec.resources.requests?.["storage"];
  const before = old.spec.resources.requests?.["storage"];
  if (size === undefined || before === undefined) return [];
  if (compareQuantities(getQuantity(size), getQuantity(before)) >= 0) return [];
  const capacity = old.status.capacity?.["storage"];
  if (capacity && compareQuantities(getQuantity(size), getQuantity(capacity)) > 0) return [];
  const detail = "field can not be less than status.capacity";
  return [forbidden("spec.resources.requests.storage", detail)];
}

function cells(claim: PersistentVolumeClaim, now: Date): Cell[] {
  const { metadata, spec, status } = claim;
  const isBound = spec.volumeName !== undefined;
  return [
    metadata.name ?? "",
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    spec.volumeName ?? "",
    isBound ? (status.capacity?.["storage"] ?? "0") : "",
    isBound ? formatAccessModes(status.accessModes) : "",
    metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "",
    spec.volumeAttributesClassName ?? "<unset>",
    age(metadata.creationTimestamp, now),
    spec.volumeMode ?? "<unset>",
  ];
}
