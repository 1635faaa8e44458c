/**
 * Running items once more. A Job that is not finished is asked to. In the place of a finished one a
 * new Job is created under its name, which takes all others as they were: completed, or failed. The
 * ledger goes on with both.
 *
 * The list stays where it is and changes hands: at no time is there a moment in which a crash could
 * lose it. Job and new Job are exchanged in one turn, which is one write to disk.
 */
import type { Client, Name } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Job } from "../api/generated/batch.ts";
import {
  addIndex,
  emptyIndexes,
  firstExcept,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
} from "../api/index-set.ts";
import { configMaps, jobs, secrets } from "../api/resources.ts";
import { findObject } from "../client/find.ts";
import {
  COMPLETED_INDEXES,
  FAILED_INDEXES,
  PAUSED,
  RERUN_INDEXES,
  WORK_LIST,
} from "../worklist/names.ts";
import { chunkName, parseHeader } from "../worklist/stored-list.ts";
import { parallelismOf } from "./control.ts";
import { isFinished } from "./prepare.ts";

export interface RetryPlan {
  /** Those to be run. */
  readonly wanted: IndexSet;
  /** Those that failed and are left as they are. */
  readonly failed: IndexSet;
}

export async function retryRun(client: Client, job: Job, plan: RetryPlan): Promise<Job> {
  if (!isFinished(job)) return askForReruns(client, job, plan);
  const lists = await listObjects(client, job);
  await giveTo(client, lists, undefined);
  const name = nameOf(job);
  const gone = client.delete(jobs, name, { propagationPolicy: "Background" });
  await gone;
  const created = await createInPlace(client, composeRetry(job, plan));
  await giveTo(client, lists, created);
  return created;
}

/** On a cluster somebody may keep the former Job a moment longer. */
async function createInPlace(client: Client, job: Job): Promise<Job> {
  for (let left = LOOKS; ; left--) {
    try {
      return await client.create(jobs, job);
    } catch (error) {
      const isThere = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!isThere || left === 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

const LOOKS = 100;
const LOOK_AGAIN_MS = 100;

function nameOf({ metadata }: Job): Name {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

/** What was asked for before and is not done yet is asked for still. */
async function askForReruns(client: Client, job: Job, { wanted }: RetryPlan): Promise<Job> {
  const completions = job.spec.completions ?? 0;
  const asked = parseIndexes(job.metadata.annotations?.[RERUN_INDEXES] ?? "", completions);
  for (const index of firstExcept(wanted, [], wanted.size)) addIndex(asked, index);
  const annotations = { [RERUN_INDEXES]: formatIndexes(asked) };
  return client.patch(jobs, nameOf(job), { type: "merge", body: { metadata: { annotations } } });
}

const OF_THE_FORMER = [RERUN_INDEXES, PAUSED, "tallyjob.io/failures"];
const LABELS_OF_THE_FORMER = [
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "controller-uid",
  "job-name",
];

/** The same Job, as whoever created it wrote it. */
export function composeRetry(job: Job, { wanted, failed }: RetryPlan): Job {
  const { name = "", namespace = "", labels, annotations } = job.metadata;
  const { selector: _selector, suspend: _suspend, template, ...spec } = job.spec;
  const completed = without(
    parseIndexes(job.status.completedIndexes ?? "", spec.completions ?? 0),
    wanted,
  );
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace,
      labels: dropped(labels, LABELS_OF_THE_FORMER),
      annotations: {
        ...dropped(annotations, OF_THE_FORMER),
        [COMPLETED_INDEXES]: formatIndexes(completed),
        [FAILED_INDEXES]: formatIndexes(without(failed, wanted)),
      },
    },
    spec: {
      ...spec,
      parallelism: parallelismOf(job),
      template: {
        ...template,
        metadata: {
          ...template.metadata,
          labels: dropped(template.metadata?.labels, LABELS_OF_THE_FORMER),
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

function dropped(
  values: { readonly [name: string]: string } | undefined,
  names: readonly string[],
): { readonly [name: string]: string } {
  const kept = Object.entries(values ?? {}).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept);
}

export interface ListObjects {
  readonly type: typeof configMaps | typeof secrets;
  readonly names: readonly Name[];
}

/** The objects that hold the list of a run. */
export async function listObjects(client: Client, job: Job): Promise<ListObjects | undefined> {
  const { namespace = "", annotations } = job.metadata;
  const named = annotations?.[WORK_LIST];
  if (named === undefined) return undefined;
  const isSecret = named.startsWith("secret/");
  const first = isSecret ? named.slice("secret/".length) : named;
  const place = { namespace, name: first };
  const object = isSecret
    ? await findObject(client, secrets, place)
    : await findObject(client, configMaps, place);
  const parsed = object && parseHeader(object);
  if (!parsed || "problem" in parsed) return undefined;
  const names = parsed.header.starts.map((_, at) => ({ namespace, name: chunkName(first, at) }));
  return { type: isSecret ? secrets : configMaps, names };
}

/** With an owner they go when it goes; without one they stay. */
export async function giveTo(
  client: Client,
  lists: ListObjects | undefined,
  owner: Job | undefined,
): Promise<void> {
  if (!lists) return;
  const { name = "", uid = "" } = owner?.metadata ?? {};
  const ownerReferences = owner
    ? [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }]
    : null;
  const body = { metadata: { ownerReferences } };
  for (const each of lists.names) await client.patch(lists.type, each, { type: "merge", body });
}
