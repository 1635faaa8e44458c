/** Pure: reads the Pod Security levels from the labels of a namespace. */
import { type Finding, invalid } from "../../api/finding.ts";

export const LEVELS = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof LEVELS)[number];

/** A minor version of Kubernetes, or infinity for "latest". */
export interface PolicyVersion {
  readonly minor: number;
  readonly text: string;
}

export interface LevelVersion {
  readonly level: Level;
  readonly version: PolicyVersion;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export interface Exemptions {
  readonly namespaces: readonly string[];
  readonly usernames: readonly string[];
  readonly runtimeClasses: readonly string[];
}

/** The administrator's settings: defaults for namespaces without labels, and exemptions. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy;
  readonly exemptions: Exemptions;
}

export const NO_EXEMPTIONS: Exemptions = { namespaces: [], usernames: [], runtimeClasses: [] };

export interface ReadPolicy {
  readonly policy: Policy;
  /** Mistakes in the labels. The policy is usable nevertheless. */
  readonly findings: readonly Finding[];
}

export type Labels = Readonly<Record<string, string>>;

export const PREFIX = "pod-security.kubernetes.io/";
export const LATEST: PolicyVersion = { minor: Number.POSITIVE_INFINITY, text: "latest" };

/** The same level in all three modes, unless `others` is given. */
export function policyOf(enforce: Level, others: Level = enforce): Policy {
  const at = (level: Level): LevelVersion => ({ level, version: LATEST });
  return { enforce: at(enforce), audit: at(others), warn: at(others) };
}

/**
 * The policy of a namespace: labels over defaults. An unknown level enforces "restricted" and
 * neither audits nor warns, as in Kubernetes. A namespace that sets only the enforced level warns
 * at that level too if it is stricter than the default warning.
 */
export function readPolicy(labels: Labels | undefined, defaults: Policy): ReadPolicy {
  if (labels === undefined) return { policy: defaults, findings: [] };
  const findings: Finding[] = [];
  const enforce = readMode(labels, "enforce", { unset: defaults.enforce, invalid: "restricted" });
  const audit = readMode(labels, "audit", { unset: defaults.audit, invalid: "privileged" });
  const warn = readMode(labels, "warn", { unset: defaults.warn, invalid: "privileged" });
  findings.push(...enforce.findings, ...audit.findings, ...warn.findings);
  const policy = { enforce: enforce.read, audit: audit.read, warn: warn.read };
  if (warn.hasLevel || !enforce.hasValidLevel) return { policy, findings };
  if (compareLevels(enforce.read.level, warn.read.level) <= 0) return { policy, findings };
  const version = warn.hasVersion ? warn.read.version : enforce.read.version;
  return { policy: { ...policy, warn: { level: enforce.read.level, version } }, findings };
}

interface ReadMode {
  readonly read: LevelVersion;
  readonly hasLevel: boolean;
  readonly hasValidLevel: boolean;
  readonly hasVersion: boolean;
  readonly findings: readonly Finding[];
}

function readMode(
  labels: Labels,
  mode: keyof Policy,
  fallback: { readonly unset: LevelVersion; readonly invalid: Level },
): ReadMode {
  const level = labels[`${PREFIX}${mode}`];
  const version = labels[`${PREFIX}${mode}-version`];
  const known = LEVELS.find((each) => each === level);
  const parsed = version === undefined ? fallback.unset.version : parseVersion(version);
  const findings: Finding[] = [];
  if (level !== undefined && known === undefined) {
    findings.push(wrongLabel(mode, level, `must be one of ${LEVELS.join(", ")}`));
  }
  if (version !== undefined && parsed === undefined) {
    findings.push(wrongLabel(`${mode}-version`, version, `must be "latest" or "v1.x"`));
  }
  return {
    read: {
      level: known ?? (level === undefined ? fallback.unset.level : fallback.invalid),
      version: parsed ?? LATEST,
    },
    hasLevel: level !== undefined,
    hasValidLevel: known !== undefined,
    hasVersion: version !== undefined,
    findings,
  };
}

function wrongLabel(name: string, value: string, problem: string): Finding {
  return invalid(`metadata.labels[${PREFIX}${name}]`, value, problem);
}

const GO_INT_MAX = 2n ** 63n - 1n;

export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === LATEST.text) return LATEST;
  const [, digits] = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text) ?? [];
  if (digits === undefined || BigInt(digits) > GO_INT_MAX) return undefined;
  return { minor: Number(digits), text };
}

/** Negative if the first level is the more permissive one. */
export function compareLevels(first: Level, second: Level): number {
  return LEVELS.indexOf(first) - LEVELS.indexOf(second);
}

export function formatLevelVersion({ level, version }: LevelVersion): string {
  return `${level}:${version.text}`;
}

export function isSameLevelVersion(first: LevelVersion, second: LevelVersion): boolean {
  return first.level === second.level && first.version.text === second.version.text;
}

export function isFullyPrivileged({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}
