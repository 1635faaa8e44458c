/** Pure: validates persistent volume claims, also in templates of pods and stateful sets. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  EphemeralVolumeSource,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "../../api/generated/core.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { getQuantity } from "../../api/quantity.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { validateAnnotations, validateLabels } from "../meta/labels.ts";
import { invalidEach } from "./syntax.ts";
import type { VolumePlace } from "./volume-place.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES = ["Block", "Filesystem"];

export function validateEphemeral(
  { volumeClaimTemplate }: EphemeralVolumeSource,
  path: string,
  { volumeName, volumePath, pod }: VolumePlace,
): Finding[] {
  const field = `${path}.volumeClaimTemplate`;
  const findings =
    volumeClaimTemplate === undefined
      ? [required(field)]
      : validateClaimTemplate(volumeClaimTemplate, field);
  const { podName = "" } = pod;
  if (podName === "" || volumeName === "") return findings;
  const claimName = `${podName}-${volumeName}`;
  const problems = dns1123Subdomain(claimName).map(
    (problem) => `PVC name ${JSON.stringify(claimName)}: ${problem}`,
  );
  return [...findings, ...invalidEach(`${volumePath}.name`, volumeName, problems)];
}

function validateClaimTemplate(template: PersistentVolumeClaimTemplate, path: string): Finding[] {
  return [
    ...validateTemplateMeta(template.metadata, `${path}.metadata`),
    ...validatePersistentVolumeClaimSpec(template.spec, `${path}.spec`),
  ];
}

/** Of a template's metadata only labels and annotations are copied to the claim. */
function validateTemplateMeta(meta: ObjectMeta, path: string): Finding[] {
  const { labels, annotations, ...rest } = meta;
  return [
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validateLabels(labels, `${path}.labels`),
    ...Object.keys(rest).map((field) => forbidden(`${path}.${goField(field)}`, "cannot be set")),
  ];
}

/** The name of the Go field with a lower-case first letter, which is not always the JSON name. */
function goField(field: string): string {
  return field === "uid" ? "uID" : field;
}

export function validatePersistentVolumeClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: string,
): Finding[] {
  const { storageClassName = "", volumeMode, volumeAttributesClassName = "" } = spec;
  const ofClass = storageClassName === "" ? [] : dns1123Subdomain(storageClassName);
  const ofAttributes =
    volumeAttributesClassName === "" ? [] : dns1123Subdomain(volumeAttributesClassName);
  return [
    ...validateAccessModes(spec, path),
    ...validateStorage(spec.resources.requests?.["storage"], `${path}.resources[storage]`),
    ...invalidEach(`${path}.storageClassName`, storageClassName, ofClass),
    ...(volumeMode === undefined || VOLUME_MODES.includes(volumeMode)
      ? []
      : [notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES)]),
    ...validateDataSources(spec, path),
    ...invalidEach(`${path}.volumeAttributesClassName`, volumeAttributesClassName, ofAttributes),
  ];
}

function validateAccessModes(spec: PersistentVolumeClaimSpec, path: string): Finding[] {
  const { accessModes = [] } = spec;
  const field = `${path}.accessModes`;
  const findings: Finding[] = [];
  if (accessModes.length === 0) {
    findings.push(required(field, "at least 1 access mode is required"));
  }
  findings.push(...validateLabelSelector(spec.selector, `${path}.selector`));
  const unknown = accessModes.filter((mode) => !ACCESS_MODES.includes(mode));
  findings.push(...unknown.map((mode) => notSupported(field, mode, ACCESS_MODES)));
  const known = new Set(accessModes.filter((mode) => ACCESS_MODES.includes(mode)));
  if (known.has("ReadWriteOncePod") && known.size > 1) {
    findings.push(forbidden(field, "may not use ReadWriteOncePod with other access modes"));
  }
  return findings;
}

function validateStorage(storage: string | undefined, field: string): Finding[] {
  if (storage === undefined) return [required(field)];
  if (getQuantity(storage).nanos > 0n) return [];
  return [invalid(field, storage, "must be greater than zero")];
}

function validateDataSources(spec: PersistentVolumeClaimSpec, path: string): Finding[] {
  const { dataSource, dataSourceRef } = spec;
  const findings = [
    ...(dataSource ? validateDataSource(dataSource, `${path}.dataSource`) : []),
    ...(dataSourceRef ? validateDataSource(dataSourceRef, `${path}.dataSourceRef`) : []),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return findings;
  // Go prints the path in place of the value.
  const refused = (detail: string) => [...findings, invalid(path, {}, detail)];
  if ((dataSourceRef.namespace ?? "") !== "") {
    return refused("may not be specified when dataSourceRef.namespace is specified");
  }
  const same =
    dataSource.apiGroup === dataSourceRef.apiGroup &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name;
  return same ? findings : refused("must match dataSourceRef");
}

function validateDataSource(
  source: TypedLocalObjectReference & Pick<TypedObjectReference, "namespace">,
  path: string,
): Finding[] {
  const { kind, name, namespace = "" } = source;
  const apiGroup = source.apiGroup ?? "";
  const findings: Finding[] = [];
  if (name === "") findings.push(required(`${path}.name`));
  if (kind === "") findings.push(required(`${path}.kind`));
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    findings.push(invalid(path, kind, detail));
  }
  const ofGroup = apiGroup === "" ? [] : dns1123Subdomain(apiGroup);
  const ofNamespace = namespace === "" ? [] : dns1123Label(namespace);
  return [
    ...findings,
    ...invalidEach(`${path}.apiGroup`, apiGroup, ofGroup),
    ...invalidEach(`${path}.namespace`, namespace, ofNamespace),
  ];
}
