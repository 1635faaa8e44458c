/**
 * Creates a Job from a template, with copies of its work list and its environment that are owned by
 * the Job. Existing objects are left unchanged, so that a controller that crashed halfway simply
 * repeats it. The Job is created first: its pods wait for the copies, while a copy without a Job
 * would never be deleted.
 */
import type { Client, Name } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job, JobTemplateSpec } from "../../api/generated/batch.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { configMaps, jobs, secrets } from "../../api/resources.ts";
import type { ListObjectName } from "../../api/work-list/opened-list.ts";
import { chunkName, type ListObject, parseHeader } from "../../api/work-list/stored-list.ts";
import { findObject } from "../../client/find.ts";
import {
  environmentNameOf,
  environmentOf,
  type JobWishes,
  listNameOf,
  listOf,
  newJob,
} from "./new-job.ts";

export async function startJob(
  client: Client,
  template: JobTemplateSpec,
  wishes: JobWishes,
): Promise<Job> {
  const job = await ensureJob(client, newJob(template, wishes));
  const environment = environmentOf(template);
  if (environment !== undefined) await ensureEnvironment(client, environment, job);
  const list = listOf(template);
  if (list) await ensureList(client, list, job);
  return job;
}

/** An existing Job of another owner is an error: it is not the Job that was wanted. */
async function ensureJob(client: Client, wanted: Job): Promise<Job> {
  try {
    return await client.create(jobs, wanted);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const { namespace = "", name = "" } = wanted.metadata;
    const present = await client.get(jobs, { namespace, name });
    if (controllerOf(present)?.uid === controllerOf(wanted)?.uid) return present;
    throw new Error(`job ${JSON.stringify(name)} already exists and has another owner`);
  }
}

async function ensureEnvironment(client: Client, name: string, job: Job): Promise<void> {
  const { namespace = "", name: jobName = "" } = job.metadata;
  const original = await findObject(client, secrets, { namespace, name });
  if (!original) throw new Error(`the environment is missing: secret "${name}" not found`);
  const copied = environmentNameOf(jobName);
  const metadata = { name: copied, namespace, ownerReferences: [ownedBy(job)] };
  await ensureCopy(client, { ...original, metadata });
}

function ownedBy({ metadata }: Job): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
}

async function ensureList(client: Client, { kind, name }: ListObjectName, job: Job): Promise<void> {
  const { namespace = "", name: jobName = "" } = job.metadata;
  let count = 1;
  for (let at = 0; at < count; at++) {
    const original = await getChunk(client, kind, { namespace, name: chunkName(name, at) });
    if (at === 0) count = chunksOf(original);
    const metadata = {
      name: chunkName(listNameOf(jobName), at),
      namespace,
      ownerReferences: [ownedBy(job)],
    };
    await ensureCopy(client, { ...original, metadata, immutable: true });
  }
}

async function getChunk(
  client: Client,
  kind: ListObjectName["kind"],
  place: Name,
): Promise<ListObject> {
  const found: ListObject | undefined =
    kind === "Secret"
      ? await findObject(client, secrets, place)
      : await findObject(client, configMaps, place);
  if (found) return found;
  throw new Error(`the work list is missing: ${kind.toLowerCase()} "${place.name}" not found`);
}

function chunksOf(first: ListObject): number {
  const parsed = parseHeader(first);
  if ("problem" in parsed) throw new Error(`the work list ${parsed.problem}`);
  return parsed.header.starts.length;
}

async function ensureCopy(client: Client, copy: ListObject): Promise<void> {
  try {
    await (isSecret(copy) ? client.create(secrets, copy) : client.create(configMaps, copy));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
}

function isSecret(object: ListObject): object is Extract<ListObject, { readonly type?: string }> {
  return object.kind === "Secret";
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "AlreadyExists";
}
