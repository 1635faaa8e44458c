/** Pure: validates a Workflow. Admission checks whether its JobTemplates exist. */
import { isEqual } from "../../api/equal.ts";
import {
  duplicate,
  type Finding,
  forbidden,
  invalid,
  notFound,
  required,
  tooMany,
} from "../../api/finding.ts";
import type { WorkflowJob, WorkflowSpec } from "../../api/generated/tallyjob.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { findCycle } from "../../api/workflow-graph.ts";
import { validateJobTemplate } from "../cronjob/validate.ts";
import { IMMUTABLE, validateNonnegative } from "../meta/object-meta.ts";

/** The status of this many jobs fits into one object. */
const MAX_JOBS = 5000;

export function validateWorkflowSpec(spec: WorkflowSpec): Finding[] {
  const jobs = spec.jobs ?? [];
  if (jobs.length === 0) return [required("spec.jobs", "must have at least one job")];
  if (jobs.length > MAX_JOBS) return [tooMany("spec.jobs", jobs.length, MAX_JOBS)];
  const names = new Set(jobs.map(({ name }) => name));
  const findings = [
    ...validateNonnegative(spec.retries ?? 0, "spec.retries"),
    ...validateJobs(jobs, names),
    ...validateDependencies(spec, names),
  ];
  return findings.length > 0 ? findings : validateOrder(spec);
}

/**
 * The steps of a Workflow are immutable. It can only be suspended, and its failed steps retried.
 */
export function validateWorkflowChange(next: WorkflowSpec, old: WorkflowSpec): Finding[] {
  const { retries = 0 } = next;
  return [
    ...(isEqual(next.jobs, old.jobs) ? [] : [forbidden("spec.jobs", IMMUTABLE)]),
    ...(isEqual(next.dependencies, old.dependencies)
      ? []
      : [forbidden("spec.dependencies", IMMUTABLE)]),
    ...(retries < (old.retries ?? 0)
      ? [invalid("spec.retries", retries, "must not be decremented")]
      : []),
  ];
}

function validateJobs(jobs: readonly WorkflowJob[], names: ReadonlySet<string>): Finding[] {
  const seen = new Set<string>();
  return jobs.flatMap((job, at) => {
    const path = `spec.jobs[${at}]`;
    const isRepeated = seen.has(job.name);
    seen.add(job.name);
    return [
      ...validateName(job.name, `${path}.name`),
      ...(isRepeated ? [duplicate(`${path}.name`, job.name)] : []),
      ...validateSource(job, path),
      ...validateDependsOn(job, names, path),
    ];
  });
}

function validateName(name: string, path: string): Finding[] {
  if (name === "") return [required(path)];
  return dns1123Label(name).map((problem) => invalid(path, name, problem));
}

function validateSource({ template, templateRef }: WorkflowJob, path: string): Finding[] {
  if (template && templateRef) {
    return [forbidden(`${path}.templateRef`, "may not be specified when `template` is")];
  }
  if (template) return validateJobTemplate(template, `${path}.template`);
  if (!templateRef) return [required(path, "must have either `template` or `templateRef`")];
  const field = `${path}.templateRef.name`;
  if (templateRef.name === "") return [required(field)];
  return dns1123Subdomain(templateRef.name).map((problem) =>
    invalid(field, templateRef.name, problem),
  );
}

function validateDependsOn(
  { dependsOn = [] }: WorkflowJob,
  names: ReadonlySet<string>,
  path: string,
): Finding[] {
  const seen = new Set<string>();
  return dependsOn.flatMap((name, at) => {
    const field = `${path}.dependsOn[${at}]`;
    const isRepeated = seen.has(name);
    seen.add(name);
    if (isRepeated) return [duplicate(field, name)];
    return names.has(name) ? [] : [notFound(field, name)];
  });
}

function validateDependencies(
  { dependencies = [] }: WorkflowSpec,
  names: ReadonlySet<string>,
): Finding[] {
  const seen = new Set<string>();
  return dependencies.flatMap((dependency, at) => {
    const path = `spec.dependencies[${at}]`;
    const { before, after } = dependency;
    const findings = [
      ...validateEnd(before, names, `${path}.before`),
      ...validateEnd(after, names, `${path}.after`),
    ];
    const key = `${before}:${after}`;
    if (seen.has(key)) findings.push(duplicate(path, dependency));
    seen.add(key);
    return findings;
  });
}

function validateEnd(name: string, names: ReadonlySet<string>, path: string): Finding[] {
  if (name === "") return [required(path)];
  return names.has(name) ? [] : [notFound(path, name)];
}

function validateOrder(spec: WorkflowSpec): Finding[] {
  const cycle = findCycle(spec);
  if (!cycle) return [];
  const path = (spec.dependencies ?? []).length > 0 ? "spec.dependencies" : "spec.jobs";
  return [invalid(path, cycle.join(" -> "), "must not form a cycle")];
}
