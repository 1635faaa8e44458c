import { expect, test } from "vitest";
import { composeScheduled, composeTemplate } from "./compose-kept.ts";
import { composeRun } from "./compose-run.ts";

const run = composeRun({
  name: "process-files",
  namespace: "default",
  suffix: "37dt3",
  command: ["process_file", "$F"],
  list: { parameters: ["F"], columns: [["1.dat", "2.dat"]] },
  parallelism: 2,
});

test("a template is the Job of the run, with its list", () => {
  const { object, support } = composeTemplate(run);
  expect(object.metadata).toEqual({ name: "process-files", namespace: "default" });
  const { template } = object.spec;
  expect(template.spec).toBe(run.job.spec);
  const list = template.metadata.annotations?.["tallyjob.io/work-list"];
  const [chunk, ...others] = support("u");
  expect(others).toEqual([]);
  expect(chunk?.metadata).toMatchObject({
    name: list,
    ownerReferences: [{ kind: "JobTemplate", name: "process-files", uid: "u", controller: true }],
  });
});

test("a scheduled run has its own name and a time", () => {
  const options = { name: "process-files-37dt3", runAt: "2015-07-21T14:00:00Z" };
  const { object, support } = composeScheduled(run, options);
  expect(object.spec).toMatchObject({
    runAt: options.runAt,
    jobTemplate: composeTemplate(run).object.spec.template,
  });
  expect(support("u")[0]?.metadata.ownerReferences).toMatchObject([
    { kind: "ScheduledJob", name: options.name },
  ]);
});
