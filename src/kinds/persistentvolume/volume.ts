/** Pure: PersistentVolumes: existing storage, and what happens to it after its claim is deleted. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type { PersistentVolume, PersistentVolumeSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { getQuantity } from "../../api/quantity.ts";
import { type Cell, defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { invalidEach } from "../pod/syntax.ts";
import { validateNodeSelector } from "../pod/validate-affinity.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";
import { ABOUT_VOLUMES, ACCESS_MODES, CLASS_ANNOTATION, formatAccessModes } from "./access.ts";
import { validateSource } from "./validate-source.ts";

const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];
const VOLUME_MODES = ["Block", "Filesystem"];

/** All fields except the source: the remaining field names the type of the volume. */
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

function validate(volume: PersistentVolume): Finding[] {
  const { metadata, spec } = volume;
  const { accessModes = [], volumeMode, persistentVolumeReclaimPolicy: reclaimPolicy } = spec;
  const findings = validateObjectMeta(metadata, { namespaced: false, nameRule: dns1123Subdomain });
  if (accessModes.length === 0) findings.push(required("spec.accessModes"));
  for (const mode of accessModes.filter((mode) => !isKnown(ACCESS_MODES, mode))) {
    findings.push(notSupported("spec.accessModes", mode, ACCESS_MODES));
  }
  if (accessModes.includes("ReadWriteOncePod") && new Set(accessModes).size > 1) {
    const detail = "may not use ReadWriteOncePod with other access modes";
    findings.push(forbidden("spec.accessModes", detail));
  }
  findings.push(...validateCapacity(spec.capacity));
  if (!isKnown(RECLAIM_POLICIES, reclaimPolicy ?? "Retain")) {
    findings.push(
      notSupported("spec.persistentVolumeReclaimPolicy", reclaimPolicy, RECLAIM_POLICIES),
    );
  }
  findings.push(...validateNodes(spec), ...validateSource(volume), ...validateRecycling(spec));
  findings.push(...validateClassName(spec.storageClassName ?? "", "spec.storageClassName"));
  if (volumeMode !== undefined && !isKnown(VOLUME_MODES, volumeMode)) {
    findings.push(notSupported("spec.volumeMode", volumeMode, VOLUME_MODES));
  }
  return [...findings, ...validateAttributesClass(spec)];
}

function validateCapacity(capacity: PersistentVolumeSpec["capacity"]): Finding[] {
  const entries = Object.entries(capacity ?? {});
  const findings = entries.length === 0 ? [required("spec.capacity")] : [];
  if (entries.length !== 1 || capacity?.["storage"] === undefined) {
    findings.push(notSupported("spec.capacity", capacity ?? null, ["storage"]));
  }
  for (const [resource, amount] of entries) {
    const field = `spec.capacity[${resource}]`;
    findings.push(...validateResourceAmount(resource, amount, field));
    if (getQuantity(amount).nanos <= 0n) {
      findings.push(invalid(field, amount, "must be greater than zero"));
    }
  }
  return findings;
}

function validateNodes({ nodeAffinity }: PersistentVolumeSpec): Finding[] {
  if (nodeAffinity === undefined) return [];
  const path = "spec.nodeAffinity.required";
  if (nodeAffinity.required) return validateNodeSelector(nodeAffinity.required, path);
  return [required(path, "must specify required node constraints")];
}

function validateRecycling(spec: PersistentVolumeSpec): Finding[] {
  const { hostPath, persistentVolumeReclaimPolicy } = spec;
  const isRoot = hostPath !== undefined && /^\/[./]*$/.test(hostPath.path);
  if (!isRoot || persistentVolumeReclaimPolicy !== "Recycle") return [];
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  return [forbidden("spec.persistentVolumeReclaimPolicy", detail)];
}

function validateClassName(name: string, field: string): Finding[] {
  return name === "" ? [] : invalidEach(field, name, dns1123Subdomain(name));
}

function validateAttributesClass(spec: PersistentVolumeSpec): Finding[] {
  const { volumeAttributesClassName: name, csi } = spec;
  if (name === undefined) return [];
  const field = "spec.volumeAttributesClassName";
  const findings =
    name === ""
      ? [required(field, "an empty string is disallowed")]
      : validateClassName(name, field);
  if (csi !== undefined) return findings;
  const detail = "has to be specified when using volumeAttributesClassName";
  return [...findings, required("spec.csi", detail)];
}

function isKnown(known: readonly string[], value: string): boolean {
  return known.includes(value);
}

function sourceOf(spec: PersistentVolumeSpec): { [field: string]: unknown } {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !COMMON_FIELDS.has(field)));
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
