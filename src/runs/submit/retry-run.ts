/**
 * Retries items. An unfinished Job is asked to by an annotation. A finished Job is replaced by a
 * new one of the same name, in which all other items have the results that they had. Its list and
 * its other objects pass to the new Job in the same commit.
 */
import type { Client, Name } from "../../api/client.ts";
import { DRAINED } from "../../api/drained.ts";
import type { Job } from "../../api/generated/batch.ts";
import {
  addIndex,
  emptyIndexes,
  firstExcept,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
} from "../../api/index-set.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { type Labels, withoutGenerated } from "../../api/job-labels.ts";
import { jobs } from "../../api/resources.ts";
import {
  COMPLETED_INDEXES,
  DONE_BEFORE,
  FAILED_BEFORE,
  FAILED_INDEXES,
  PAUSED,
  RERUN_INDEXES,
} from "../../api/work-list/names.ts";
import { dieAt } from "../../base/die-at.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { CONTINUES, LIST_CHANGED } from "../../ledger/story.ts";
import { parallelismOf } from "../follow/control.ts";
import { isConflict } from "./create-run.ts";
import { formerUids } from "./earlier-jobs.ts";
import { submitRun } from "./submit-job.ts";

export interface RetryPlan {
  /** Indexes to run again. */
  readonly wanted: IndexSet;
  /** Indexes that have failed. Those that are not wanted stay failed. */
  readonly failed: IndexSet;
}

export async function retryRun(host: LedgerHost, found: Job, plan: RetryPlan): Promise<Job> {
  const { client } = host;
  for (let job = found; ; job = await client.get(jobs, nameOf(found))) {
    try {
      return await (isFinished(job)
        ? replaceJob(host, job, plan)
        : askForReruns(client, job, plan));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** The parts of a host that a retry needs. */
export interface LedgerHost {
  readonly client: Client;
  readonly ledger: LedgerReader;
}

async function replaceJob(host: LedgerHost, job: Job, plan: RetryPlan): Promise<Job> {
  const { uid = "", resourceVersion = "" } = job.metadata;
  const { wanted, failed } = plan;
  const completed = parseIndexes(job.status.completedIndexes ?? "", job.spec.completions ?? 0);
  dieAt("retry");
  const continues = await formerUids(host, job);
  dieAt("retry");
  const next = await submitRun(host.client, {
    job: composeRetry(job, { ...plan, continues }),
    support: [],
    settled: {
      completed: formatIndexes(without(completed, wanted)),
      failed: formatIndexes(without(failed, wanted)),
    },
    former: { uid, resourceVersion, leavesSupport: true },
  });
  dieAt("retry");
  return next;
}

function nameOf({ metadata }: Job): Name {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** Adds to the indexes of earlier requests that are not done yet. */
async function askForReruns(client: Client, job: Job, { wanted }: RetryPlan): Promise<Job> {
  const completions = job.spec.completions ?? 0;
  const asked = parseIndexes(job.metadata.annotations?.[RERUN_INDEXES] ?? "", completions);
  for (const index of firstExcept(wanted, [], wanted.size)) addIndex(asked, index);
  const body = { metadata: { annotations: { [RERUN_INDEXES]: formatIndexes(asked) } } };
  dieAt("retry");
  const changed = await client.patch(jobs, nameOf(job), { type: "merge", body });
  dieAt("retry");
  return changed;
}

/** Annotations that describe the progress of a Job, not the run. */
const PROGRESS = [
  RERUN_INDEXES,
  PAUSED,
  DRAINED,
  COMPLETED_INDEXES,
  FAILED_INDEXES,
  LIST_CHANGED,
  "tallyjob.io/failures",
];

/** The same Job, as it was when it was created. */
export function composeRetry(
  job: Job,
  { wanted, failed, continues }: RetryPlan & { readonly continues: readonly string[] },
): Job {
  const { name = "", namespace = "", labels, annotations } = job.metadata;
  const { selector: _selector, suspend: _suspend, template, ...spec } = job.spec;
  const completed = parseIndexes(job.status.completedIndexes ?? "", spec.completions ?? 0);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace,
      labels: withoutGenerated(labels),
      annotations: {
        ...withoutProgress(annotations),
        [CONTINUES]: continues.join(","),
        [DONE_BEFORE]: String(without(completed, wanted).size),
        [FAILED_BEFORE]: String(without(failed, wanted).size),
      },
    },
    spec: {
      ...spec,
      parallelism: parallelismOf(job),
      template: {
        ...template,
        metadata: {
          ...template.metadata,
          labels: withoutGenerated(template.metadata?.labels),
        },
      },
    },
    status: {},
  };
}

function without(set: IndexSet, others: IndexSet): IndexSet {
  const left = emptyIndexes();
  for (const index of firstExcept(set, [], set.size)) {
    if (!hasIndex(others, index)) addIndex(left, index);
  }
  return left;
}

function withoutProgress(annotations: Labels | undefined): Labels {
  const kept = Object.entries(annotations ?? {}).filter(([name]) => !PROGRESS.includes(name));
  return Object.fromEntries(kept);
}
