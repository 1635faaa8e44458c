/** Pure: the options of a deletion and their validation. */
import { invalidObject } from "../../api/errors.ts";
import { type Finding, invalid, notSupported } from "../../api/finding.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

export function validateDeleteOptions(options: DeleteOptions): void {
  const findings: Finding[] = [];
  const { orphanDependents, propagationPolicy: policy } = options;
  if (orphanDependents !== undefined && policy !== undefined) {
    const problem = "orphanDependents and deletionPropagation cannot be both set";
    findings.push(invalid("propagationPolicy", policy, problem));
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    const supported = ["Foreground", "Background", "Orphan", "nil"];
    findings.push(notSupported("propagationPolicy", policy, supported));
  }
  findings.push(...validateDryRun(options.dryRun));
  if (findings.length === 0) return;
  throw invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", findings);
}

export function validateDryRun(dryRun: readonly string[] | undefined): Finding[] {
  if (!dryRun || dryRun.every((value) => value === "All")) return [];
  return [notSupported("dryRun", dryRun, ["All"])];
}

export function isDryRun(options: DeleteOptions): boolean {
  return (options.dryRun?.length ?? 0) > 0;
}

export function deletionWarnings(kind: Kind, options: DeleteOptions): string[] {
  const orphans = kind.deletion?.orphansByDefault;
  const decided = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  return orphans?.warning !== undefined && !decided ? [orphans.warning] : [];
}
