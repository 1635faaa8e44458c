/**
 * Pure: validates the security context of a container, and the parts it shares with that of a pod.
 */
import {
  type Finding,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../api/finding.ts";
import type { AppArmorProfile, SeccompProfile, SecurityContext } from "../../api/generated/core.ts";
import { byteLength } from "../meta/labels.ts";
import { seccompProfileDump, securityContextDump } from "./go-dump.ts";
import { invalidEach, numericId, validateDescendingPath } from "./syntax.ts";
import { validateWindowsOptions } from "./validate-windows.ts";

const PROC_MOUNTS = ["Default", "Unmasked"];

export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: string,
  sharesHostUsers: boolean,
): Finding[] {
  if (context === undefined) return [];
  const { privileged, runAsUser, runAsGroup, procMount } = context;
  const findings: Finding[] = [];
  if (privileged) findings.push(forbidden(`${path}.privileged`, "disallowed by cluster policy"));
  findings.push(...validateId(runAsUser, `${path}.runAsUser`));
  findings.push(...validateId(runAsGroup, `${path}.runAsGroup`));
  if (procMount !== undefined) {
    const field = `${path}.procMount`;
    if (!PROC_MOUNTS.includes(procMount)) {
      findings.push(notSupported(field, procMount, PROC_MOUNTS));
    }
    if (sharesHostUsers && procMount === "Unmasked") {
      findings.push(invalid(field, procMount, "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  return [
    ...findings,
    ...validateSeccompProfile(context.seccompProfile, `${path}.seccompProfile`),
    ...validateEscalation(context, path),
    ...validateWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmorProfile(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

export function validateId(id: number | undefined, field: string): Finding[] {
  return id === undefined ? [] : invalidEach(field, id, numericId(id));
}

/** Privileges that imply escalation contradict allowPrivilegeEscalation: false. */
function validateEscalation(context: SecurityContext, path: string): Finding[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const refused = (what: string) =>
    invalid(
      path,
      securityContextDump(context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  const admins = (context.capabilities?.add ?? []).filter((name) => name === "CAP_SYS_ADMIN");
  return [
    ...(context.privileged ? [refused("`privileged` to true")] : []),
    ...admins.map(() => refused("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

const PROFILE_TYPES = ["Localhost", "RuntimeDefault", "Unconfined"];
const APP_ARMOR_PROFILE_MAX = 4095;

export function validateSeccompProfile(
  profile: SeccompProfile | undefined,
  path: string,
): Finding[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const field = `${path}.localhostProfile`;
  const findings: Finding[] = [];
  if (type === "") {
    findings.push(required(`${path}.type`, "type is required when seccompProfile is set"));
  } else if (!PROFILE_TYPES.includes(type)) {
    findings.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
  }
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return findings;
    const detail = "can only be set when seccomp type is Localhost";
    return [...findings, invalid(field, seccompProfileDump(profile), detail)];
  }
  if (localhostProfile === undefined) {
    return [...findings, required(field, "must be set when seccomp type is Localhost")];
  }
  return [...findings, ...validateDescendingPath(localhostProfile, field)];
}

export function validateAppArmorProfile(
  profile: AppArmorProfile | undefined,
  path: string,
): Finding[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const field = `${path}.localhostProfile`;
  if (type === "") {
    return [required(`${path}.type`, "type is required when appArmorProfile is set")];
  }
  if (!PROFILE_TYPES.includes(type)) return [notSupported(`${path}.type`, type, PROFILE_TYPES)];
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return [];
    const detail = "can only be set when AppArmor type is Localhost";
    return [invalid(field, localhostProfile, detail)];
  }
  const missing = "must be set when AppArmor type is Localhost";
  if (localhostProfile === undefined) return [required(field, missing)];
  const findings: Finding[] = [];
  if (localhostProfile.trim() !== localhostProfile) {
    findings.push(invalid(field, localhostProfile, "must not be padded with whitespace"));
  } else if (localhostProfile === "") {
    findings.push(required(field, missing));
  }
  if (byteLength(localhostProfile) > APP_ARMOR_PROFILE_MAX) {
    findings.push(tooLong(field, APP_ARMOR_PROFILE_MAX));
  }
  return findings;
}
