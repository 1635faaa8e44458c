/** Valid Jobs: a test names only the fields that matter to it. */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Draft, Json } from "../../src/api/object.ts";
import { jobKind } from "../../src/kinds/job/kind.ts";
import { created } from "./created.ts";

type Body = { [key: string]: Json };

export const POD_SPEC = {
  restartPolicy: "Never",
  containers: [{ name: "c", image: "busybox:1.36" }],
};

export const INDEXED = { completionMode: "Indexed", completions: 5, parallelism: 3 };

/** A Job as a client sends it. */
export function writtenJob(metadata: Body, spec: Body = {}): Job {
  const template = { spec: POD_SPEC };
  const whole = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template, ...spec } };
  return { ...whole, status: {} } as unknown as Job;
}

/** A Job as the server stores it on creation. */
export function aJob(spec: Body = {}, metadata: Body = {}): Draft<Job> {
  const template = { spec: POD_SPEC };
  return created<Job>(jobKind, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: { template, ...spec },
  });
}
