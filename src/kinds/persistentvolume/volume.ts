/** Pure: PersistentVolumes: storage that exists, and what becomes of it after its claim. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, notSupported, required } from "../../api/finding.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";
import { ABOUT_VOLUMES, ACCESS_MODES, CLASS_ANNOTATION, formatAccessModes } from "./access.ts";

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];
const VOLUME_MODES = ["Block", "Filesystem"];

/** What is not the source: what is left names what the volume really is. */
const COMMON_FIELDS: ReadonlySet<string> = new Set<keyof PersistentVolumeSpec>([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);

export const persistentVolumeKind = defineKind<PersistentVolume>({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  singular: "persistentvolume",
  namespaced: false,
  shortNames: ["pv"],
  message: "core/v1.PersistentVolume",
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  rules: {
    setDefaults,
    prepareForCreate,
    validate,
    validateUpdate,
    validateStatusUpdate: (next, old) => validateObjectMetaUpdate(next.metadata, old.metadata),
  },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column(
      "Capacity",
      "capacity is the description of the persistent volume's resources and capacity. " +
        `${ABOUT_VOLUMES}#capacity`,
    ),
    column(
      "Access Modes",
      `accessModes contains all ways the volume can be mounted. ${ABOUT_VOLUMES}#access-modes`,
    ),
    column(
      "Reclaim Policy",
      "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released " +
        "from its claim. Valid options are Retain (default for manually created " +
        "PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and " +
        "Recycle (deprecated). Recycle must be supported by the volume plugin underlying this " +
        `PersistentVolume. ${ABOUT_VOLUMES}#reclaiming`,
    ),
    column(
      "Status",
      "phase indicates if a volume is available, bound to a claim, or released by a claim. " +
        `${ABOUT_VOLUMES}#phase`,
    ),
    column(
      "Claim",
      "claimRef is part of a bi-directional binding between PersistentVolume and " +
        "PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the " +
        `authoritative bind between PV and PVC. ${ABOUT_VOLUMES}#binding`,
    ),
    column("StorageClass", "StorageClass of the pv"),
    column("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
    column(
      "Reason",
      "reason is a brief CamelCase string that describes any failure and is meant for machine " +
        "parsing and tidy display in the CLI.",
    ),
    ageColumn,
    column(
      "VolumeMode",
      "volumeMode defines if a volume is intended to be used with a formatted filesystem or to " +
        "remain in raw block state. Value of Filesystem is implied when not included in spec.",
      { wide: true },
    ),
  ],
  cells,
});

function setDefaults({ spec, status }: Draft<PersistentVolume>): void {
  status.phase ??= "Pending";
  spec.persistentVolumeReclaimPolicy ??= "Retain";
  spec.volumeMode ??= "Filesystem";
  if (spec.hostPath) spec.hostPath.type ??= "";
}

function prepareForCreate(volume: Draft<PersistentVolume>): void {
  const { creationTimestamp } = volume.metadata;
  volume.status = {
    phase: "Pending",
    ...(creationTimestamp === undefined ? {} : { lastPhaseTransitionTime: creationTimestamp }),
  };
}

function validate({ metadata, spec }: PersistentVolume): Finding[] {
  const { accessModes = [], capacity = {}, volumeMode, persistentVolumeReclaimPolicy } = spec;
  const findings = validateObjectMeta(metadata, { namespaced: false, nameRule: dns1123Subdomain });
  if (accessModes.length === 0) findings.push(required("spec.accessModes"));
  for (const mode of accessModes.filter((mode) => !isKnown(ACCESS_MODES, mode))) {
    findings.push(notSupported("spec.accessModes", mode, ACCESS_MODES));
  }
  if (Object.keys(capacity).length === 0) findings.push(required("spec.capacity"));
  else if (capacity["storage"] === undefined || Object.keys(capacity).length > 1) {
    findings.push(notSupported("spec.capacity", capacity, ["storage"]));
  }
  for (const [resource, amount] of Object.entries(capacity)) {
    findings.push(...validateResourceAmount(resource, amount, `spec.capacity[${resource}]`));
  }
  if (!isKnown(RECLAIM_POLICIES, persistentVolumeReclaimPolicy ?? "Retain")) {
    const path = "spec.persistentVolumeReclaimPolicy";
    findings.push(notSupported(path, persistentVolumeReclaimPolicy, RECLAIM_POLICIES));
  }
  findings.push(...validateSource(spec));
  if (volumeMode !== undefined && !isKnown(VOLUME_MODES, volumeMode)) {
    findings.push(notSupported("spec.volumeMode", volumeMode, VOLUME_MODES));
  }
  return findings;
}

function isKnown(known: readonly string[], value: string): boolean {
  return known.includes(value);
}

function sourceOf(spec: PersistentVolumeSpec): { [field: string]: unknown } {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !COMMON_FIELDS.has(field)));
}

function validateSource(spec: PersistentVolumeSpec): Finding[] {
  const [first, ...others] = Object.keys(sourceOf(spec));
  if (first === undefined) return [required("spec", "must specify a volume type")];
  const detail = "may not specify more than 1 volume type";
  return others.map((field) => forbidden(`spec.${field}`, detail));
}

function validateUpdate(next: PersistentVolume, old: PersistentVolume): Finding[] {
  const source = isEqual(sourceOf(next.spec), sourceOf(old.spec));
  return [
    ...validate(next),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...(source
      ? []
      : [
          forbidden(
            "spec.persistentvolumesource",
            "spec.persistentvolumesource is immutable after creation",
          ),
        ]),
    ...validateImmutable(next.spec.volumeMode, old.spec.volumeMode, "volumeMode"),
  ];
}

function cells({ metadata, spec, status }: PersistentVolume, now: Date): Cell[] {
  const { claimRef } = spec;
  return [
    metadata.name ?? "",
    spec.capacity?.["storage"] ?? "0",
    formatAccessModes(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? "",
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    claimRef === undefined ? "" : `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`,
    metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "",
    spec.volumeAttributesClassName ?? "<unset>",
    status.reason ?? "",
    age(metadata.creationTimestamp, now),
    spec.volumeMode ?? "<unset>",
  ];
}
