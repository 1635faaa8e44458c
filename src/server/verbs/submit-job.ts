/**
 * Stores a Job together with its support objects, replacing a former Job of the same name if there
 * is one, in one commit of the store: after a crash either all of it is stored or nothing.
 *
 *     check -> remove the former Job -> create the Job -> its status -> its support objects
 *
 * Everything that can be rejected is rejected by the check, before anything is written.
 */
import type { JobSubmission } from "../../api/client.ts";
import { ApiError, badRequest, conflict } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { formatIndexes, parseIndexes } from "../../api/index-set.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../kinds/registry.ts";
import {
  fromStored,
  groupResource,
  keyOf,
  type ServerContext,
  timestamp,
  toStored,
  type WriteOptions,
} from "../context.ts";
import { decodeGiven } from "../decode-given.ts";
import { create } from "./create.ts";
import { checkPreconditions, deleteObject } from "./delete.ts";

export type SubmittingServer = ServerContext & { readonly registry: Registry };

export function submitJob(
  server: SubmittingServer,
  submission: JobSubmission,
  options: WriteOptions,
): Job {
  const decode = (kind: Kind, object: KubeObject) => decodeGiven(server, kind, object);
  const { registry, store } = server;
  const { job, support, former } = submission;
  const { namespace = "", name = "" } = job.metadata;
  const jobs = registry.getResource("batch", "v1", "jobs");
  const owned = support.map((object) => ({ kind: supportKind(registry, object), object }));
  const left = former?.leavesSupport ? ownedBy(server, namespace, former.uid) : [];
  const settled = submission.settled && settledStatus(job, submission.settled);
  checkFormer(server, jobs, submission);
  const isTaken = former !== undefined;
  check(() => create(server, jobs, namespace, decode(jobs, job), dry(options)), isTaken);
  for (const { kind, object } of owned) {
    check(() => create(server, kind, namespace, decode(kind, object), dry(options)), false);
  }
  const writes = 3 + owned.length + left.length;
  return store.together(writes, () => {
    if (former) {
      const { uid, resourceVersion } = former;
      const preconditions = { uid, resourceVersion };
      const background = { propagationPolicy: "Background" as const, preconditions };
      deleteObject(server, jobs, namespace, name, background);
    }
    const made = create(server, jobs, namespace, decode(jobs, job), options).object as Job;
    const owner = ownerReference(made);
    for (const { kind, object } of owned) {
      const draft = decode(kind, object);
      draft.metadata.ownerReferences = [owner];
      create(server, kind, namespace, draft, options);
    }
    for (const { kind, object } of left) handOver(server, kind, object, owner);
    return settled ? withStatus(server, jobs, made, settled) : made;
  });
}

/** The kind of a support object. */
function supportKind(registry: Registry, { kind = "" }: KubeObject): Kind {
  const found = SUPPORT.find((each) => each.kind === kind);
  if (!found) throw badRequest(`a Job may bring ConfigMaps and Secrets, not a ${kind}`);
  return registry.getResource("", "v1", found.resource);
}

const SUPPORT = [
  { kind: "ConfigMap", resource: "configmaps" },
  { kind: "Secret", resource: "secrets" },
] as const;

function checkFormer(server: ServerContext, jobs: Kind, { job, former }: JobSubmission): void {
  if (!former) return;
  const { namespace = "", name = "" } = job.metadata;
  const stored = server.store.get(keyOf(jobs, namespace, name));
  if (!stored) throw conflict(groupResource(jobs), name, "the Job to be replaced is gone");
  checkPreconditions(jobs, fromStored(jobs, stored), { preconditions: former });
  if ((stored.metadata.finalizers ?? []).length > 0) {
    const held = `the Job to be replaced is held by ${stored.metadata.finalizers?.join(", ")}`;
    throw conflict(groupResource(jobs), name, held);
  }
}

/**
 * It is no problem if the former Job has the name. Names are checked last, so that this error means
 * that everything else is valid.
 */
function check(tryOut: () => unknown, isTaken: boolean): void {
  try {
    tryOut();
  } catch (error) {
    const isOwnName = error instanceof ApiError && error.reason === "AlreadyExists";
    if (!isTaken || !isOwnName) throw error;
  }
}

function dry(options: WriteOptions): WriteOptions {
  return { ...options, dryRun: true };
}

interface Owned {
  readonly kind: Kind;
  readonly object: KubeObject;
}

function ownedBy(server: SubmittingServer, namespace: string, uid: string): readonly Owned[] {
  return SUPPORT.flatMap(({ resource }) => {
    const kind = server.registry.getResource("", "v1", resource);
    const { items } = server.store.list(resource, { namespace });
    const own = items.filter((object) => controllerOf(object)?.uid === uid);
    return own.map((object) => ({ kind, object: fromStored(kind, object) }));
  });
}

function handOver(
  { store }: ServerContext,
  kind: Kind,
  object: KubeObject,
  owner: OwnerReference,
): void {
  const { namespace = "", name = "", resourceVersion = "" } = object.metadata;
  const next = draftOf(object);
  next.metadata.ownerReferences = [owner];
  store.update(keyOf(kind, namespace, name), toStored(kind, next), resourceVersion);
}

function ownerReference({ metadata: { name = "", uid = "" } }: Job): OwnerReference {
  return { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
}

/** The status with which the Job controller would start. */
function settledStatus(
  { spec }: Job,
  { completed, failed }: NonNullable<JobSubmission["settled"]>,
): Pick<Job["status"], "completedIndexes" | "failedIndexes" | "succeeded"> {
  const { completions = 0, backoffLimitPerIndex } = spec;
  const indexes = (text: string) => {
    if (text !== "" && !INDEXES.test(text)) throw badRequest(`${text} is not a list of indexes`);
    return parseIndexes(text, completions);
  };
  const done = indexes(completed);
  const lost = indexes(failed);
  return {
    completedIndexes: formatIndexes(done),
    // Without backoffLimitPerIndex a Job does not record failed indexes.
    ...(backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(lost) }),
    succeeded: done.size,
  };
}

const INDEXES = /^\d+(-\d+)?(,\d+(-\d+)?)*$/;

function withStatus(
  server: ServerContext,
  jobs: Kind,
  made: Job,
  settled: ReturnType<typeof settledStatus>,
): Job {
  const { namespace = "", name = "", resourceVersion = "" } = made.metadata;
  const draft = draftOf(made) as Draft<Job>;
  const startTime = timestamp(server.clock);
  draft.status = { ...settled, startTime, uncountedTerminatedPods: {} };
  const key = keyOf(jobs, namespace, name);
  return server.store.update(key, toStored(jobs, draft), resourceVersion) as Job;
}
