import { expect, test } from "vitest";
import { aTemplate } from "../../../test/builders/workflows.ts";
import type { Job, JobCondition } from "../../api/generated/batch.ts";
import { endOf, newJob } from "./new-job.ts";
import { type Stated, withConditions } from "./owner-conditions.ts";

const OWNER = {
  apiVersion: "tallyjob.io/v1alpha1",
  kind: "Workflow",
  metadata: { name: "w", namespace: "ns", uid: "u" },
};

test("a Job has the fields of its template, its owner, and its own work list", () => {
  const annotations = { a: "b", "tallyjob.io/work-list": "secret/t-list" };
  const template = aTemplate({}, annotations);
  const job = newJob(template, { name: "j", owner: OWNER, labels: { l: "m" } });
  expect(job.spec).toBe(template.spec);
  expect(job.metadata).toEqual({
    name: "j",
    namespace: "ns",
    labels: { l: "m" },
    annotations: { a: "b", "tallyjob.io/work-list": "secret/j-list" },
    ownerReferences: [
      {
        apiVersion: OWNER.apiVersion,
        kind: "Workflow",
        name: "w",
        uid: "u",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(newJob(aTemplate(), { name: "j", owner: OWNER }).metadata.annotations).toBeUndefined();
});

test("a Job of a template with an environment refers to its own copy", () => {
  const template = aTemplate({}, { "tallyjob.io/environment": "t-environment-x" });
  const job = newJob(template, { name: "j", owner: OWNER });
  expect(job.metadata.annotations).toEqual({ "tallyjob.io/environment": "j-environment" });
});

test.each<[JobCondition[], object | undefined]>([
  [[], undefined],
  [[{ type: "SuccessCriteriaMet", status: "True" }], undefined],
  [[{ type: "Complete", status: "False" }], undefined],
  [
    [{ type: "Complete", status: "True", lastTransitionTime: "t" }],
    { type: "Complete", time: "t", message: "" },
  ],
  [
    [{ type: "Failed", status: "True", reason: "R", message: "m" }],
    { type: "Failed", message: "R: m" },
  ],
])("conditions %j mean the end %j", (conditions, end) => {
  expect(endOf({ status: { conditions } } as unknown as Job)).toEqual(end);
});

const failed = (isMet: boolean, message = ""): Stated => ({
  type: "Failed",
  isMet,
  reason: "R",
  message,
});

test("a condition has the time of its last change, and is omitted until it is first met", () => {
  const none = withConditions(undefined, [failed(false)], "1");
  expect(none).toEqual([]);
  const first = withConditions(none, [failed(true)], "2");
  expect(first).toMatchObject([{ status: "True", lastTransitionTime: "2" }]);
  const other = withConditions(first, [failed(true, "more")], "3");
  expect(other).toMatchObject([{ status: "True", message: "more", lastTransitionTime: "2" }]);
  const undone = withConditions(other, [failed(false, "more")], "4");
  expect(undone).toMatchObject([{ status: "False", lastTransitionTime: "4" }]);
});
