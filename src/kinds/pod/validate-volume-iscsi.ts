/** Pure: validates volumes on iSCSI targets, whose names have their own syntax. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { ISCSIVolumeSource } from "../../api/generated/core.ts";
import { inclusiveRange } from "./syntax.ts";
import type { VolumePlace } from "./volume-place.ts";

/** The limit for the combination of volume name and portal on the node. */
const SESSION_MAX = 64;

const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ["iqn", /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[0-9A-Za-z]{16}$/],
  ["naa", /^naa.[0-9A-Za-z]{32}$/],
]);

export function validateIscsi(
  source: ISCSIVolumeSource,
  path: string,
  place: VolumePlace & { readonly isShared?: boolean },
): Finding[] {
  const { targetPortal, iqn, lun, initiatorName, secretRef } = source;
  const { volumeName, volumePath, isShared } = place;
  // Kubernetes reports less for a PersistentVolume.
  const validateName = isShared ? validateSharedName : validateTargetName;
  const findings: Finding[] = [];
  if (targetPortal === "") findings.push(required(`${path}.targetPortal`));
  if (iqn === "") findings.push(required(`${path}.iqn`));
  else findings.push(...validateName(iqn, `${path}.iqn`));
  if (lun < 0 || lun > 255) findings.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined) {
    findings.push(required(`${path}.secretRef`));
  }
  if (initiatorName === undefined) return findings;
  findings.push(...validateName(initiatorName, `${path}.initiatorname`));
  if (`${volumeName}:${targetPortal}`.length > SESSION_MAX) {
    const detail =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if " +
      "iscsi.initiatorName is specified.";
    findings.push(invalid(`${volumePath}.name`, volumeName, detail));
  }
  return findings;
}

function validateTargetName(name: string, field: string): Finding[] {
  const shape = SHAPES.get(name.slice(0, 3));
  if (shape?.test(name)) return [];
  const rule = "must be valid format";
  return [invalid(field, name, shape ? rule : `${rule} starting with iqn, eui, or naa`)];
}

function validateSharedName(name: string, field: string): Finding[] {
  const found = validateTargetName(name, field);
  return found.map(() => invalid(field, name, "must be valid format"));
}
