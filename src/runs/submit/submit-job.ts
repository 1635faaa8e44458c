/**
 * Stores a run: its Job and the objects that belong to it, in place of a former Job if there is
 * one. A Tally server does it in one commit. A cluster has no such commit: there the former Job and
 * its pods are deleted before the new Job is created.
 */

import type { Client, JobSubmission, Name } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { podsOfJob } from "../../api/job-labels.ts";
import type { KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { configMaps, jobs, pods, secrets, services } from "../../api/resources.ts";
import { COMPLETED_INDEXES, FAILED_INDEXES } from "../../api/work-list/names.ts";
import { findObject } from "../../client/find.ts";
import { untilGone } from "../../client/watch-until.ts";
import { ledgerName } from "../../ledger/job-ledger.ts";
import { completeLedger } from "../cluster/complete-ledger.ts";

export function submitRun(client: Client, submission: JobSubmission): Promise<Job> {
  return client.submitJob?.(submission) ?? submitStepwise(client, submission);
}

async function submitStepwise(client: Client, submission: JobSubmission): Promise<Job> {
  const { former, support } = submission;
  const { namespace = "", name = "" } = submission.job.metadata;
  const job = withSettled(submission);
  const left = former ? await leftBy(client, { namespace, name }, former) : [];
  for (const object of left) await giveTo(client, object, undefined);
  if (former) await removeJob(client, { namespace, name }, former);
  const made = await client.create(jobs, job);
  await createSupport(
    client,
    support.map((object) => ownedBy(object, made)),
  );
  for (const object of left) await giveTo(client, object, made);
  return made;
}

/** The objects that pass from the former Job to the new one: its ledger, or all of them. */
async function leftBy(
  client: Client,
  { namespace, name }: Name & { readonly namespace: string },
  { uid, leavesSupport }: Former,
): Promise<readonly KubeObject[]> {
  const former = await findObject(client, jobs, { namespace, name });
  if (former?.metadata.uid === uid) await completeLedger(client, former);
  const support = await supportOf(client, namespace, uid);
  return support.filter(({ metadata }) => leavesSupport || metadata.name === ledgerName(name));
}

/** All annotations of an object together are limited to 256 KiB. */
const MAX_INDEXES_TEXT = 200_000;

/** On a cluster annotations state which indexes were done before. */
function withSettled({ job, settled }: JobSubmission): Job {
  if (!settled) return job;
  const { completed, failed } = settled;
  if (completed.length + failed.length > MAX_INDEXES_TEXT) {
    throw new Error(
      "the items that are done are scattered over too long a list to be told to the cluster: " +
        "remove them from the list, and run the rest under another name",
    );
  }
  const annotations = {
    ...job.metadata.annotations,
    [COMPLETED_INDEXES]: completed,
    [FAILED_INDEXES]: failed,
  };
  return { ...job, metadata: { ...job.metadata, annotations } };
}

async function supportOf(
  client: Client,
  namespace: string,
  uid: string,
): Promise<readonly KubeObject[]> {
  const isOwn = (object: KubeObject) => controllerOf(object)?.uid === uid;
  const typed = (kind: string) => (object: KubeObject) => ({ ...object, kind });
  const maps = (await client.list(configMaps, { namespace })).items.filter(isOwn);
  const secret = (await client.list(secrets, { namespace })).items.filter(isOwn);
  return [...maps.map(typed("ConfigMap")), ...secret.map(typed("Secret"))];
}

/** Sets the owner, with which the object is deleted; without an owner it stays. */
export async function giveTo(
  client: Client,
  object: KubeObject,
  owner: Job | undefined,
): Promise<void> {
  const { namespace = "", name = "" } = object.metadata;
  const ownerReferences = owner ? [ownerReference(owner)] : null;
  const body = { metadata: { ownerReferences } };
  await client.patch(typeOf(object), { namespace, name }, { type: "merge", body });
}

export function ownedBy(object: KubeObject, owner: Job): KubeObject {
  const ownerReferences = [ownerReference(owner)];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function ownerReference({ metadata: { name = "", uid = "" } }: Job) {
  return { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
}

/** Existing objects are left unchanged: a command that was killed has created them. */
export async function createSupport(client: Client, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    try {
      await client.create(typeOf(object), object);
    } catch (error) {
      const exists = error instanceof ApiError && error.reason === "AlreadyExists";
      if (!exists) throw error;
    }
  }
}

function typeOf({ kind }: KubeObject) {
  return [secrets, services].find((type) => type.kind === kind) ?? configMaps;
}

type Former = NonNullable<JobSubmission["former"]>;

async function removeJob(
  client: Client,
  name: Name & { readonly namespace: string },
  { uid, resourceVersion }: Former,
): Promise<void> {
  const preconditions = { uid, resourceVersion };
  await client.delete(jobs, name, { propagationPolicy: "Background", preconditions });
  const { namespace } = name;
  await untilGone(client, jobs, { namespace, fieldSelector: `metadata.name=${name.name}` });
  const labelSelector = podsOfJob(uid);
  await untilGone(client, pods, { namespace, labelSelector });
}
