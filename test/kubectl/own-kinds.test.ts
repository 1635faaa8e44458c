/** Tally's own kinds, used with a kubectl that does not know them. */
import { expect } from "vitest";
import { aTemplate, aWorkflow } from "../builders/workflows.ts";
import { kubectlTests } from "./prompt.ts";

const check = kubectlTests();

const jobTemplate = {
  apiVersion: "tallyjob.io/v1alpha1",
  kind: "JobTemplate",
  metadata: { name: "t" },
  spec: { template: aTemplate() },
};

const { metadata: _metadata, status: _status, ...bare } = aWorkflow(["a", "b"], ["a:b"]);
const workflow = { ...bare, metadata: { name: "w" } };

check("Tally's kinds are applied, changed, shown and deleted", async (prompt) => {
  const apply = (stdin: object) => prompt.prints("apply -f -", { stdin });
  expect(await apply(jobTemplate)).toBe("jobtemplate.tallyjob.io/t created\n");
  expect(await apply(jobTemplate)).toBe("jobtemplate.tallyjob.io/t unchanged\n");
  expect(await apply(workflow)).toBe("workflow.tallyjob.io/w created\n");
  const held = { ...workflow, spec: { ...workflow.spec, suspend: true } };
  expect(await apply(held)).toBe("workflow.tallyjob.io/w configured\n");
  expect(await prompt.prints("get wf")).toMatch(
    /^NAME +STATUS +STEPS +SUCCEEDED +ACTIVE +FAILED +AGE\nw +/,
  );
  expect(await prompt.prints("get jt,sj,wf -o name")).toBe(
    "jobtemplate.tallyjob.io/t\nworkflow.tallyjob.io/w\n",
  );
  const patch = ["patch", "wf", "w", "--type=merge", "-p", '{"spec":{"retries":1}}'];
  expect(await prompt.prints(patch)).toBe("workflow.tallyjob.io/w patched\n");
  expect(await prompt.prints("delete wf w")).toMatch(/^workflow.tallyjob.io "w" deleted/);
});

check("invalid objects of Tally's kinds are rejected with the reason", async (prompt) => {
  const { dependencies = [] } = workflow.spec;
  const circle = [...dependencies, { before: "b", after: "a" }];
  const stdin = { ...workflow, spec: { ...workflow.spec, dependencies: circle } };
  expect(await prompt.refuses("create -f -", { stdin })).toBe(
    'The Workflow "w" is invalid: spec.dependencies: Invalid value: "a -> b -> a": ' +
      "must not form a cycle\n",
  );
  const mistyped = { ...workflow, spec: { ...workflow.spec, job: [] } };
  expect(await prompt.refuses("create -f -", { stdin: mistyped })).toContain(
    'strict decoding error: unknown field "spec.job"',
  );
});

check("Tally's kinds are explained", async (prompt) => {
  const text = await prompt.prints("explain workflow.spec.jobs.templateRef");
  expect(text).toContain("GROUP:      tallyjob.io");
  expect(text).toContain("The name of the JobTemplate.");
  expect(await prompt.prints("explain scheduledjob.spec.jobTemplate.spec.template")).toContain(
    "PodTemplateSpec",
  );
});
