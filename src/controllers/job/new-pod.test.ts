import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { podFactory } from "./new-pod.ts";

const VARIABLE = {
  name: "JOB_COMPLETION_INDEX",
  valueFrom: {
    fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
  },
};

const template = {
  metadata: {
    labels: { app: "x", "batch.kubernetes.io/job-completion-index": "mine" },
    annotations: { note: "n" },
    finalizers: ["example.com/own"],
  },
  spec: {
    restartPolicy: "Never",
    hostname: "mine",
    subdomain: "peers",
    initContainers: [{ name: "setup", image: "i" }],
    containers: [
      { name: "a", image: "i", env: [{ name: "X", value: "1" }] },
      { name: "b", image: "i", env: [{ name: "JOB_COMPLETION_INDEX", value: "own" }] },
    ],
  },
};

test("a pod of an Indexed Job has its index as label, annotation, variable and name", () => {
  const { metadata, spec } = podFactory(aJob({ ...INDEXED, template }))({ index: 3 });
  expect(metadata).toMatchObject({
    generateName: "j-3-",
    namespace: "ns",
    labels: { app: "x", "batch.kubernetes.io/job-completion-index": "3" },
    annotations: { note: "n", "batch.kubernetes.io/job-completion-index": "3" },
    finalizers: ["example.com/own", "batch.kubernetes.io/job-tracking"],
    ownerReferences: [
      {
        apiVersion: "batch/v1",
        kind: "Job",
        name: "j",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  expect(spec).toMatchObject({ hostname: "j-3", subdomain: "peers" });
  expect(spec.initContainers?.[0]?.env).toEqual([VARIABLE]);
  expect(spec.containers?.[0]?.env).toEqual([{ name: "X", value: "1" }, VARIABLE]);
  expect(spec.containers?.[1]?.env).toEqual([{ name: "JOB_COMPLETION_INDEX", value: "own" }]);
});

test("a pod of a NonIndexed Job is the template plus the owner reference", () => {
  const job = aJob({ template });
  const { metadata, spec } = podFactory(job)({});
  expect(metadata).toMatchObject({ generateName: "j-", labels: job.spec.template.metadata.labels });
  expect(spec).toEqual(job.spec.template.spec);
});

test("a long Job name is shortened so that the index fits", () => {
  const job = aJob(INDEXED, { name: "n".repeat(60) });
  const { metadata } = podFactory(job)({ index: 12 });
  expect(metadata.generateName).toBe(`${"n".repeat(54)}-12-`);
});

test.each([
  [{ counted: 0, ignored: 0 }, { "batch.kubernetes.io/job-index-failure-count": "0" }],
  [
    { counted: 2, ignored: 1 },
    {
      "batch.kubernetes.io/job-index-failure-count": "2",
      "batch.kubernetes.io/job-index-ignored-failure-count": "1",
    },
  ],
])("failures %j of the index are written on the pod", (failures, annotations) => {
  const { metadata } = podFactory(aJob(INDEXED))({ index: 1, failures });
  const index = { "batch.kubernetes.io/job-completion-index": "1" };
  expect(metadata.annotations).toEqual({ ...index, ...annotations });
});
