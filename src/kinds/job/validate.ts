/** Pure: validates a Job, on create and on update. */
import {
  type Finding,
  invalid,
  notSupported,
  quote,
  required,
  tooLong,
} from "../../api/finding.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { byteLength } from "../meta/labels.ts";
import { validateNonnegative, validateObjectMeta } from "../meta/object-meta.ts";
import { validatePodTemplateSpec } from "../pod/validate-template.ts";
import { successPolicyDump } from "./go-dump.ts";
import {
  validatePodFailurePolicy,
  validatePodReplacementPolicy,
} from "./validate-failure-policy.ts";
import {
  type GeneratedLabelOptions,
  userMetadata,
  validateGeneratedSelector,
  validateSelector,
} from "./validate-selector.ts";
import { validateSuccessPolicy } from "./validate-success-policy.ts";

export const INDEXED = "Indexed";
const NON_INDEXED = "NonIndexed";
const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** With more completions the failed indexes might not fit into the status. */
export const COMPLETIONS_SOFT_LIMIT = 100_000;
const MAX_PARALLELISM_ABOVE_SOFT_LIMIT = 10_000;
const MAX_FAILED_INDEXES_ABOVE_SOFT_LIMIT = 10_000;
const MANAGED_BY_MAX_BYTES = 63;

export function validateJob(job: Job, options: GeneratedLabelOptions): Finding[] {
  return [
    ...validateObjectMeta(userMetadata(job), { namespaced: true, nameRule: dns1123Subdomain }),
    ...validateGeneratedSelector(job, options),
    ...validateJobSpecAndSelector(job.spec, "spec"),
    ...validateHostnames(job),
  ];
}

/** On update Kubernetes evaluates these rules twice: for the Job and for the change. */
export function validateJobSpecAndSelector(spec: JobSpec, path: string): Finding[] {
  return [...validateJobSpec(spec, path), ...validateSelector(spec, path)];
}

/** Everything except the selector, which a CronJob's jobTemplate does not have. */
export function validateJobSpec(spec: JobSpec, path: string): Finding[] {
  const { podFailurePolicy, successPolicy, template } = spec;
  const findings = [
    ...validateNumbers(spec, path),
    ...validateManagedBy(spec.managedBy, `${path}.managedBy`),
    ...validateCompletionMode(spec, path),
  ];
  if (podFailurePolicy) {
    findings.push(...validatePodFailurePolicy(podFailurePolicy, spec, `${path}.podFailurePolicy`));
  }
  if (successPolicy && spec.completionMode !== INDEXED) {
    const value = successPolicyDump(successPolicy);
    findings.push(invalid(`${path}.successPolicy`, value, REQUIRES_INDEXED));
  } else if (successPolicy) {
    const policyPath = `${path}.successPolicy`;
    findings.push(...validateSuccessPolicy(successPolicy, spec.completions, policyPath));
  }
  return [
    ...findings,
    ...validatePodReplacementPolicy(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplateSpec(template, `${path}.template`),
    ...validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`),
  ];
}

const REQUIRES_INDEXED = "requires indexed completion mode";

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

function validateNumbers(spec: JobSpec, path: string): Finding[] {
  const findings = COUNTS.flatMap((field) =>
    validateNonnegative(spec[field] ?? 0, `${path}.${field}`),
  );
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    findings.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  return findings;
}

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${HTTP_PATH}$`);

function validateManagedBy(managedBy: string | undefined, path: string): Finding[] {
  if (managedBy === undefined) return [];
  const findings = validateDomainPrefixedPath(managedBy, path);
  if (byteLength(managedBy) > MANAGED_BY_MAX_BYTES) {
    findings.push(tooLong(path, MANAGED_BY_MAX_BYTES));
  }
  return findings;
}

function validateDomainPrefixedPath(text: string, path: string): Finding[] {
  if (text === "") return [required(path)];
  const slash = text.indexOf("/");
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === "" || rest === "") {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const findings = dns1123Subdomain(host).map((problem) => invalid(path, host, problem));
  if (!httpPath.test(rest)) {
    const detail = `Invalid path (regex used for validation is '${HTTP_PATH}')`;
    findings.push(invalid(path, rest, detail));
  }
  return findings;
}

function validateCompletionMode(spec: JobSpec, path: string): Finding[] {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode === INDEXED) return validateIndexed(spec, path);
  if (mode !== undefined && mode !== NON_INDEXED) {
    return [notSupported(`${path}.completionMode`, mode, [NON_INDEXED, INDEXED])];
  }
  return Object.entries({ backoffLimitPerIndex, maxFailedIndexes }).flatMap(([field, value]) =>
    value === undefined ? [] : [invalid(`${path}.${field}`, value, REQUIRES_INDEXED)],
  );
}

function validateIndexed(spec: JobSpec, path: string): Finding[] {
  const { completions, parallelism = 0, maxFailedIndexes = 0 } = spec;
  const findings: Finding[] = [];
  if (completions === undefined) {
    findings.push(required(`${path}.completions`, `when completion mode is ${INDEXED}`));
  }
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    const detail = `${atMost(MAX_INDEXED_PARALLELISM)} when completion mode is ${INDEXED}`;
    findings.push(invalid(`${path}.parallelism`, parallelism, detail));
  }
  if (completions !== undefined && spec.maxFailedIndexes !== undefined) {
    if (maxFailedIndexes > completions) {
      const detail = "must be less than or equal to completions";
      findings.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, detail));
    }
  }
  if (maxFailedIndexes > MAX_FAILED_INDEXES) {
    const detail = atMost(MAX_FAILED_INDEXES);
    findings.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, detail));
  }
  return [...findings, ...validateManyCompletions(spec, path)];
}

/**
 * A limit per index makes the status grow, so a large Job must limit how many failed indexes it can
 * have.
 */
function validateManyCompletions(spec: JobSpec, path: string): Finding[] {
  const { completions = 0, parallelism = 0, maxFailedIndexes } = spec;
  if (completions <= COMPLETIONS_SOFT_LIMIT || spec.backoffLimitPerIndex === undefined) return [];
  const findings: Finding[] = [];
  const limited = (max: number) =>
    `${atMost(max)} when completions are above ${COMPLETIONS_SOFT_LIMIT} ` +
    "and used with backoff limit per index";
  if (maxFailedIndexes === undefined) {
    const detail = `must be specified when completions is above ${COMPLETIONS_SOFT_LIMIT}`;
    findings.push(required(`${path}.maxFailedIndexes`, detail));
  }
  if (parallelism > MAX_PARALLELISM_ABOVE_SOFT_LIMIT) {
    const detail = limited(MAX_PARALLELISM_ABOVE_SOFT_LIMIT);
    findings.push(invalid(`${path}.parallelism`, parallelism, detail));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MAX_FAILED_INDEXES_ABOVE_SOFT_LIMIT) {
    const detail = limited(MAX_FAILED_INDEXES_ABOVE_SOFT_LIMIT);
    findings.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, detail));
  }
  return findings;
}

function atMost(max: number): string {
  return `must be less than or equal to ${max}`;
}

/**
 * A pod template defaults to Always, which is not possible for a Job, so the user has to choose.
 */
function validateRestartPolicy(spec: JobSpec, path: string): Finding[] {
  const { restartPolicy: policy = "" } = spec.template.spec;
  const choices = ["OnFailure", "Never"];
  if (policy === "" || policy === "Always") {
    return [required(path, `valid values: ${choices.map(quote).join(", ")}`)];
  }
  if (!choices.includes(policy)) return [notSupported(path, policy, choices)];
  if (spec.podFailurePolicy && policy !== "Never") {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    return [invalid(path, policy, detail)];
  }
  return [];
}

/** Checks the hostname of the last index, which is the longest. */
export function validateHostnames({ metadata, spec }: Pick<Job, "metadata" | "spec">): Finding[] {
  const { completions = 0 } = spec;
  if (spec.completionMode !== INDEXED || completions <= 0) return [];
  const { name = "" } = metadata;
  const hostname = `${name}-${completions - 1}`;
  if (dns1123Label(hostname).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalid("metadata.name", name, detail)];
}
