/**
 * Records the attempts of Jobs with a work list in one ConfigMap per Job, so that they outlive the
 * pods: a cluster has no other place for them. The ConfigMap is written rarely, and once when the
 * Job ends, so that the cost does not depend on the number of pods.
 */
import { ApiError } from "../api/errors.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Pod } from "../api/generated/core.ts";
import { isFinished } from "../api/job-conditions.ts";
import { controllerOf } from "../api/owner-reference.ts";
import { configMaps, jobs as jobsType, pods as podsType } from "../api/resources.ts";
import { WORK_LIST } from "../api/work-list/names.ts";
import { type Cache, type CacheChange, openCache } from "../client/cache.ts";
import { findObject } from "../client/find.ts";
import type {
  Controller,
  ControllerContext,
  RunningController,
} from "../controllers/runtime/controller.ts";
import { KeyedWorker } from "../controllers/runtime/keyed-worker.ts";
import { done, type Outcome } from "../controllers/runtime/outcome.ts";
import { attemptsEndedBy } from "../ledger/attempt.ts";
import { composeLedger, findLedger, ledgerName } from "../ledger/job-ledger.ts";
import { NotedAttempts } from "../ledger/noted-attempts.ts";

/** The interval between writes while a Job runs. */
const WRITE_EVERY_MS = 10_000;
/** By then the events of pods that ended together with the Job have arrived. */
const LAST_WRITE_MS = 1_000;
/**
 * After a pod is deleted, its attempt is only known here, so it is written soon. The short delay
 * combines several deletions.
 */
const PODS_LEAVE_MS = 200;
const RETRY = { firstMs: 1_000, maxMs: 60_000 };

/** @param managedBy the spec.managedBy of the Jobs to record */
export function ledgerController(managedBy: string): Controller {
  return {
    name: "ledger",
    start: async (context) => {
      const { client, clock, random, log } = context;
      const shared = { client, clock, random, log };
      const [jobs, pods] = await Promise.all([
        openCache({ ...shared, type: jobsType }),
        openCache({ ...shared, type: podsType }),
      ]);
      return new LedgerController(context, managedBy, jobs, pods);
    },
  };
}

interface JobNotes {
  readonly jobUid: string;
  readonly attempts: NotedAttempts;
  /** As last read or written. */
  stored?: ConfigMap;
  isRead: boolean;
}

class LedgerController implements RunningController {
  private readonly notes = new Map<string, JobNotes>();
  private readonly worker: KeyedWorker;

  constructor(
    private readonly context: ControllerContext,
    private readonly managedBy: string,
    private readonly jobs: Cache<Job>,
    private readonly pods: Cache<Pod>,
  ) {
    const { clock, log, metrics } = context;
    const reconcile = (key: string) => this.write(key);
    this.worker = new KeyedWorker({ clock, log, metrics, name: "ledger", retry: RETRY, reconcile });
    jobs.onChange((change) => this.onJob(change), { existing: true });
    pods.onChange((change) => this.onPod(change), { existing: true });
  }

  stop(): void {
    this.worker.stop();
    this.jobs.close();
    this.pods.close();
  }

  private onJob({ type, object: job }: CacheChange<Job>): void {
    if (!this.isNoted(job)) return;
    const key = keyOf(job);
    if (type === "DELETED") this.notes.delete(key);
    else if (isFinished(job) && this.notes.has(key)) this.worker.addAfter(key, LAST_WRITE_MS);
  }

  private onPod({ type, object: pod, previous }: CacheChange<Pod>): void {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job") return;
    const job = this.jobs.get(pod.metadata.namespace ?? "", owner.name);
    if (!job || job.metadata.uid !== owner.uid || !this.isNoted(job)) return;
    const ended = attemptsEndedBy({
      pod,
      ...(previous && type === "MODIFIED" ? { previous } : {}),
      isDeleted: type === "DELETED",
      nowMs: this.context.clock.nowMs(),
    });
    const key = keyOf(job);
    const isLeaving = type === "DELETED" || pod.metadata.deletionTimestamp !== undefined;
    if (ended.length === 0 && !isLeaving) return;
    const { attempts } = this.notesOf(key, job);
    for (const placed of ended) attempts.add(placed);
    if (!attempts.isNew) return;
    const usualMs = isFinished(job) ? LAST_WRITE_MS : WRITE_EVERY_MS;
    this.worker.addAfter(key, isLeaving ? PODS_LEAVE_MS : usualMs);
  }

  private isNoted({ metadata, spec }: Job): boolean {
    return spec.managedBy === this.managedBy && metadata.annotations?.[WORK_LIST] !== undefined;
  }

  private notesOf(key: string, { metadata }: Job): JobNotes {
    const { uid = "" } = metadata;
    const known = this.notes.get(key);
    if (known?.jobUid === uid) return known;
    const fresh = { jobUid: uid, attempts: new NotedAttempts(), isRead: false };
    this.notes.set(key, fresh);
    return fresh;
  }

  private async write(key: string): Promise<Outcome> {
    const notes = this.notes.get(key);
    const job = this.jobs.get(...namesOf(key));
    if (!notes || job?.metadata.uid !== notes.jobUid) return done;
    if (!notes.isRead) await this.read(job, notes);
    if (notes.attempts.isNew) await this.store(job, notes);
    // No further changes of a finished Job are expected.
    if (isFinished(job) && !notes.attempts.isNew) this.notes.delete(key);
    return done;
  }

  /** Keeps what an earlier process, or an earlier Job of the same run, recorded. */
  private async read(job: Job, notes: JobNotes): Promise<void> {
    const { namespace = "", name = "" } = job.metadata;
    const place = { namespace, name: ledgerName(name) };
    const stored = await findObject(this.context.client, configMaps, place);
    const ledger = findLedger(stored, job);
    if (stored && !ledger) throw new Error(`configmap ${place.name} belongs to something else`);
    if (ledger) notes.attempts.addEarlier(ledger);
    notes.isRead = true;
    if (stored) notes.stored = stored;
  }

  private async store(job: Job, notes: JobNotes): Promise<void> {
    const { client } = this.context;
    const taken = notes.attempts.take();
    const composed = composeLedger(job, notes.stored, taken);
    try {
      notes.stored = notes.stored
        ? await client.update(configMaps, composed)
        : await client.create(configMaps, composed);
    } catch (error) {
      notes.attempts.isNew = true;
      const isOther = error instanceof ApiError && (error.code === 409 || error.code === 404);
      if (!isOther) throw error;
      // Somebody else created or deleted it, so it must be read again.
      notes.isRead = false;
      delete notes.stored;
      throw error;
    }
  }
}

function keyOf({ metadata }: Job): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function namesOf(key: string): [namespace: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}
