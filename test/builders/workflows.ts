/** JobTemplates, Workflows, and Jobs that the test ends. */
import type { Client } from "../../src/api/client.ts";
import type { Job, JobTemplateSpec } from "../../src/api/generated/batch.ts";
import type { JobTemplate, Workflow, WorkflowSpec } from "../../src/api/generated/tallyjob.ts";
import { jobs, jobTemplates, workflows } from "../../src/api/resources.ts";
import { jobBody } from "./resources.ts";

export const NAMESPACE = "default";

export function aTemplate(spec: object = {}, annotations?: { [key: string]: string }) {
  const { spec: jobSpec } = jobBody({ name: "unused" }, spec as never);
  return {
    metadata: annotations ? { annotations } : {},
    spec: jobSpec,
  } as unknown as JobTemplateSpec;
}

export async function createTemplate(
  client: Client,
  name: string,
  template = aTemplate(),
): Promise<JobTemplate> {
  return client.create(jobTemplates, {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "JobTemplate",
    metadata: { namespace: NAMESPACE, name },
    spec: { template },
  });
}

/** A dependency "a:b" means: "a" runs before "b". */
export function aWorkflow(
  steps: readonly string[],
  dependencies: readonly string[] = [],
  more: Partial<WorkflowSpec> = {},
): Workflow {
  return {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "Workflow",
    metadata: { namespace: NAMESPACE, name: "w" },
    spec: {
      jobs: steps.map((name) => ({ name, template: aTemplate() })),
      dependencies: dependencies.map((text) => {
        const [before = "", after = ""] = text.split(":");
        return { before, after };
      }),
      ...more,
    },
    status: {},
  };
}

export async function workflowOf(client: Client): Promise<Workflow> {
  return client.get(workflows, { namespace: NAMESPACE, name: "w" });
}

/** The states of all steps: "a=Succeeded b=Running". */
export async function statesOf(client: Client): Promise<string> {
  const { status } = await workflowOf(client);
  return (status.steps ?? []).map(({ name, state }) => `${name}=${state}`).join(" ");
}

/** Writes the status that the Job controller writes when a Job ends. */
export async function endJob(client: Client, name: string, type: "Complete" | "Failed") {
  const job: Job = await client.get(jobs, { namespace: NAMESPACE, name });
  const time = job.metadata.creationTimestamp ?? "";
  const condition = (of: string) => ({
    type: of,
    status: "True",
    lastTransitionTime: time,
    lastProbeTime: time,
    ...(type === "Failed" ? { reason: "BackoffLimitExceeded", message: "too many" } : {}),
  });
  const announced = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  await client.updateStatus(jobs, {
    ...job,
    status: {
      startTime: time,
      ...(type === "Complete" ? { completionTime: time, succeeded: 1 } : {}),
      conditions: [condition(announced), condition(type)],
    },
  });
}
