/**
 * Pure: a run that is stored for later, as a JobTemplate or a ScheduledJob. That object owns the
 * list; each Job created from it gets a copy.
 */
import type { Job, JobTemplateSpec } from "../../api/generated/batch.ts";
import type { JobTemplate, ScheduledJob } from "../../api/generated/tallyjob.ts";
import type { KubeObject } from "../../api/object.ts";

export interface KeptRun<T extends JobTemplate | ScheduledJob> {
  /** To create first. */
  readonly object: T;
  /** To create after it, owned by it. */
  readonly support: (ownerUid: string) => readonly KubeObject[];
}

export interface KeepableRun {
  readonly job: Job;
  /** Its list. */
  readonly support: () => readonly KubeObject[];
}

const API_VERSION = "tallyjob.io/v1alpha1";

export function composeTemplate(run: KeepableRun): KeptRun<JobTemplate> {
  const { name = "", namespace = "" } = run.job.metadata;
  const object: JobTemplate = {
    apiVersion: API_VERSION,
    kind: "JobTemplate",
    metadata: { name, namespace },
    spec: { template: templateOf(run) },
  };
  return { object, support: supportOf(run, object) };
}

/** A run can be scheduled several times, each time under another name. */
export function composeScheduled(
  run: KeepableRun,
  { name, runAt }: { readonly name: string; readonly runAt: string },
): KeptRun<ScheduledJob> {
  const { namespace = "" } = run.job.metadata;
  const object: ScheduledJob = {
    apiVersion: API_VERSION,
    kind: "ScheduledJob",
    metadata: { name, namespace },
    spec: { runAt, jobTemplate: templateOf(run) },
    status: {},
  };
  return { object, support: supportOf(run, object) };
}

function templateOf({ job }: KeepableRun): JobTemplateSpec {
  const { annotations } = job.metadata;
  return { metadata: annotations ? { annotations } : {}, spec: job.spec };
}

function supportOf(
  { support }: KeepableRun,
  { apiVersion, kind, metadata }: JobTemplate | ScheduledJob,
): (ownerUid: string) => readonly KubeObject[] {
  const { name = "" } = metadata;
  return (uid) =>
    support().map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
    }));
}
