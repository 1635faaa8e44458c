/**
 * Pure: builds a Job from a template for its owner, and reads how such a Job ended.
 *
 * This folder is not a controller: the Workflow and ScheduledJob controllers share it. Reading
 * order: this file, start-job, owner-conditions, start-job-maker.
 */
import type { Job, JobTemplateSpec } from "../../api/generated/batch.ts";
import { finishOf } from "../../api/job-conditions.ts";
import type { KubeObject } from "../../api/object.ts";
import { ENVIRONMENT } from "../../api/run-environment.ts";
import { WORK_LIST } from "../../api/work-list/names.ts";
import {
  formatListName,
  type ListObjectName,
  parseListName,
} from "../../api/work-list/opened-list.ts";

export interface JobWishes {
  readonly name: string;
  readonly owner: KubeObject;
  readonly labels?: { readonly [key: string]: string };
}

export function newJob(template: JobTemplateSpec, { name, owner, labels }: JobWishes): Job {
  const { metadata = {}, spec } = template;
  const list = listOf(template);
  const { name: ownerName = "", uid = "", namespace = "" } = owner.metadata;
  const { apiVersion, kind } = owner;
  const annotations = {
    ...metadata.annotations,
    ...(list ? { [WORK_LIST]: formatListName({ ...list, name: listNameOf(name) }) } : {}),
    ...(environmentOf(template) ? { [ENVIRONMENT]: environmentNameOf(name) } : {}),
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace,
      ...(metadata.labels || labels ? { labels: { ...metadata.labels, ...labels } } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [
        { apiVersion, kind, name: ownerName, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec,
    status: {},
  };
}

/** The work list of a template. Each of its Jobs gets a copy. */
export function listOf({ metadata = {} }: JobTemplateSpec): ListObjectName | undefined {
  const named = metadata.annotations?.[WORK_LIST];
  return named === undefined ? undefined : parseListName(named);
}

export function listNameOf(jobName: string): string {
  return `${jobName}-list`;
}

/** The Secret with the environment of a template. Each of its Jobs gets a copy. */
export function environmentOf({ metadata = {} }: JobTemplateSpec): string | undefined {
  return metadata.annotations?.[ENVIRONMENT];
}

export function environmentNameOf(jobName: string): string {
  return `${jobName}-environment`;
}

export interface JobEnd {
  readonly type: "Complete" | "Failed";
  readonly time?: string;
  readonly message: string;
}

export function endOf(job: Job): JobEnd | undefined {
  const finish = finishOf(job);
  if (!finish) return undefined;
  const { type, lastTransitionTime, reason = "", message = "" } = finish;
  const time = job.status.completionTime ?? lastTransitionTime ?? undefined;
  const text = [reason, message].filter((each) => each !== "").join(": ");
  return { type, ...(time === undefined ? {} : { time }), message: text };
}
