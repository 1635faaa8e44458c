/**
 * The Job controller: caches of Jobs and pods, a memory per Job, and two workers. Events only
 * trigger the reconcile of a Job or pod; reconcile.ts determines what has to be done.
 */
import { DEFAULT_FEATURE_GATES } from "../../api/feature-gates.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { podsAheadOf } from "../../api/pods-ahead.ts";
import { jobs as jobsType, pods as podsType } from "../../api/resources.ts";
import type { Backoff } from "../../base/backoff.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import type { Controller, ControllerContext, RunningController } from "../runtime/controller.ts";
import { KeyedWorker } from "../runtime/keyed-worker.ts";
import { done, type Outcome } from "../runtime/outcome.ts";
import { openRecorder, type RunningRecorder } from "../runtime/recorder.ts";
import { effectiveJob, effectiveManagerOf, findSkip } from "./gates.ts";
import { keyOf, managerOf } from "./job-facts.ts";
import { jobMetrics } from "./job-metrics.ts";
import { clearAway, isDisposable, keepsFewerPods } from "./leftovers.ts";
import { type JobMemory, newMemory } from "./memory.ts";
import { BUILT_IN_MANAGER, MAX_POD_CHANGES } from "./names.ts";
import { ORPHAN_INDEX, OWNER_INDEX } from "./observe.ts";
import { selectorOf } from "./ownership.ts";
import { hasTrackingFinalizer } from "./pod-facts.ts";
import { type JobSync, syncJob } from "./reconcile.ts";
import { isInVain, RERUN_IGNORED } from "./reruns.ts";
import {
  type Change,
  isAbandoned,
  leavesPodsTracked,
  newsOf,
  trackingEvent,
  whenToSync,
} from "./watches.ts";

export interface JobControllerOptions {
  /** Manages the Jobs with this spec.managedBy; by default those of the built-in controller. */
  readonly managedBy?: string;
  /** The delay before new pods after failures; by default 10 s, growing to 10 min. */
  readonly backoff?: Backoff;
  /**
   * Pod events arrive in bursts. A sync is delayed by as long as the last one took, so that a busy
   * Job spends half its time on syncs and a small one responds at once. This is the maximum of that
   * delay; default 10 ms.
   */
  readonly batch?: { readonly longestMs: number };
  /** Jobs synced concurrently; default 5. */
  readonly workers?: number;
  /** Maximum number of pods that one sync creates or removes; default 500. */
  readonly podsPerSync?: number;
  /**
   * How long a status update that only changes pod counts may be delayed. Pods become active and
   * ready one by one, and short-lived pods end before a client could see them, so that several
   * updates can be combined into one. Default 0.
   */
  readonly countsDelayMs?: number;
}

const POD_BACKOFF: Backoff = { firstMs: 10_000, maxMs: 600_000 };
/** The delays after a failed sync of a Job. */
const SYNC_RETRY: Backoff = { firstMs: 1_000, maxMs: 60_000 };
/** If pods are created ahead, no index waits for the next ones, so larger batches cost nothing. */
const AHEAD_BATCH_MS = 25;
const LONGEST_BATCH_MS = 10;
const SHORTEST_BATCH_MS = 1;

/**
 * Pods with the tracking finalizer, by the UID of their owner, or by namespace if they have none.
 */
const TRACKED_INDEX = "tracked";
/**
 * Jobs by one label of their selector (all pods they select have it), or by namespace if they have
 * none.
 */
const SELECTOR_INDEX = "selector";

export function jobController(options: JobControllerOptions = {}): Controller {
  return {
    name: "job",
    start: async (context) => {
      const { client, clock, random, log } = context;
      const shared = { client, clock, random, log };
      const [jobs, pods] = await Promise.all([
        openCache({ ...shared, type: jobsType, indexes: { [SELECTOR_INDEX]: selectorValues } }),
        openCache({ ...shared, type: podsType, indexes: POD_INDEXES }),
      ]);
      return new JobController(context, options, jobs, pods);
    },
  };
}

class JobController implements RunningController {
  private readonly memories = new Map<string, JobMemory>();
  private readonly worker: KeyedWorker;
  private readonly leftovers: KeyedWorker;
  private readonly sync: JobSync;
  private readonly recorder: RunningRecorder;
  private readonly manager: string;
  private readonly longestBatchMs: number;

  constructor(
    context: ControllerContext,
    options: JobControllerOptions,
    private readonly jobs: Cache<Job>,
    private readonly pods: Cache<Pod>,
  ) {
    const { client, clock, log, metrics, gates = DEFAULT_FEATURE_GATES } = context;
    const { backoff = POD_BACKOFF, podsPerSync = MAX_POD_CHANGES, workers } = options;
    const { countsDelayMs = 0 } = options;
    this.manager = options.managedBy ?? BUILT_IN_MANAGER;
    this.longestBatchMs = options.batch?.longestMs ?? LONGEST_BATCH_MS;
    const recorder = openRecorder({ ...context, component: "job-controller" });
    this.recorder = recorder;
    const measures = { backoff, podsPerSync, countsDelayMs };
    const own = { client, jobs, pods, clock, recorder, gates, ...measures };
    this.sync = { ...own, metrics: jobMetrics(metrics) };
    const shared = { clock, log, metrics, retry: SYNC_RETRY };
    this.worker = new KeyedWorker({
      ...shared,
      name: "job",
      reconcile: (key) => this.reconcile(key),
      ...(workers === undefined ? {} : { workers }),
    });
    this.leftovers = new KeyedWorker({
      ...shared,
      name: "job_orphan_pod",
      reconcile: (key) => this.clearAway(key),
    });
    jobs.onChange((change) => this.onJob(change), { existing: true });
    pods.onChange((change) => this.onPod(change), { existing: true });
  }

  stop(): void {
    this.worker.stop();
    this.leftovers.stop();
    this.jobs.close();
    this.pods.close();
    this.recorder.stop();
  }

  private async reconcile(key: string): Promise<Outcome> {
    // Yield, so that the sync does not run inside the write that triggered it.
    await Promise.resolve();
    const job = this.jobs.get(...namesOf(key));
    if (!job || isFinished(job) || !this.isOurs(job)) {
      this.memories.delete(key);
      this.worker.forget(key);
      return done;
    }
    const { gates, recorder } = this.sync;
    const skip = findSkip(job, gates);
    if (skip) {
      recorder.event(job, "Warning", skip.reason, skip.message);
      return done;
    }
    return syncJob(this.sync, effectiveJob(job, gates), this.memoryOf(key));
  }

  private onJob(change: Change<Job>): void {
    const { type, object: job } = change;
    const key = keyOf(job.metadata);
    if (!this.isOurs(job)) {
      const controller_name = managerOf(job);
      if (type === "ADDED") this.sync.metrics.externalJobs.add({ controller_name });
      return;
    }
    if (leavesPodsTracked(change)) this.clearAwayPodsOf(job, TRACKED_INDEX);
    if (keepsFewerPods(change)) this.clearAwayPodsOf(job, OWNER_INDEX);
    if (isInVain(change)) this.sync.recorder.event(job, "Warning", ...RERUN_IGNORED);
    if (whenToSync(change) === "now") this.worker.add(key);
    else this.wakeSoon(key);
  }

  private onPod(change: Change<Pod>): void {
    const { type, object: pod } = change;
    const event = trackingEvent(change);
    if (event) this.sync.metrics.trackedTerminated.add({ event });
    const { former, owner, isAdoptable } = newsOf(change);
    const { uid = "", namespace = "", deletionTimestamp } = pod.metadata;
    if (former) this.tell(namespace, former, uid, undefined);
    if (owner) this.tell(namespace, owner, uid, type === "DELETED" ? undefined : pod);
    if (isAdoptable) this.offer(pod);
    if (type === "DELETED") return;
    const job = this.ownerOf(pod);
    const mayBeLost = !owner || deletionTimestamp !== undefined;
    const isLeft = (mayBeLost && isAbandoned(pod, job)) || (job && isDisposable(pod, job));
    if (isLeft) this.leftovers.add(keyOf(pod.metadata));
  }

  /**
   * If the Job has no scoreboard yet, single changes need not be recorded: its next sync reads all
   * pods.
   */
  private tell(namespace: string, owner: OwnerReference, uid: string, pod: Pod | undefined): void {
    const job = this.jobs.get(namespace, owner.name);
    if (job?.metadata.uid !== owner.uid || !this.isOurs(job)) return;
    const key = keyOf(job.metadata);
    this.memories.get(key)?.changed.set(uid, pod);
    if (podsAheadOf(job) > 0) this.worker.addAfter(key, AHEAD_BATCH_MS);
    else this.wakeSoon(key);
  }

  private offer(pod: Pod): void {
    const { name = "", namespace = "", labels = {} } = pod.metadata;
    const values = Object.entries(labels).map(([label, value]) => `${namespace}/${label}=${value}`);
    for (const value of [...values, `${namespace}/`]) {
      for (const job of this.jobs.find(SELECTOR_INDEX, value)) {
        if (isFinished(job) || !this.isOurs(job) || !selectorOf(job)(pod)) continue;
        this.memoryOf(keyOf(job.metadata)).claimable.add(name);
        this.wakeSoon(keyOf(job.metadata));
      }
    }
  }

  private wakeSoon(key: string): void {
    const lastMs = this.memories.get(key)?.lastSyncMs ?? 0;
    this.worker.addAfter(key, Math.min(this.longestBatchMs, Math.max(SHORTEST_BATCH_MS, lastMs)));
  }

  private clearAwayPodsOf({ metadata }: Job, index: string): void {
    for (const pod of this.pods.find(index, metadata.uid ?? "")) {
      this.leftovers.add(keyOf(pod.metadata));
    }
  }

  private async clearAway(key: string): Promise<void> {
    await Promise.resolve();
    const pod = this.pods.get(...namesOf(key));
    const job = pod && this.ownerOf(pod);
    if (job && !this.isOurs(job)) return;
    if (pod) await clearAway(this.sync.client, pod, job);
  }

  private ownerOf(pod: Pod): Job | undefined {
    const owner = controllerOf(pod);
    const job = owner && this.jobs.get(pod.metadata.namespace ?? "", owner.name);
    return job?.metadata.uid === owner?.uid ? job : undefined;
  }

  private memoryOf(key: string): JobMemory {
    const known = this.memories.get(key) ?? newMemory(this.sync.clock.monotonicMs());
    this.memories.set(key, known);
    return known;
  }

  private isOurs(job: Job): boolean {
    return effectiveManagerOf(job, this.sync.gates) === this.manager;
  }
}

const POD_INDEXES = {
  [OWNER_INDEX]: (pod: Pod) => {
    const owner = controllerOf(pod);
    return owner ? [owner.uid] : [];
  },
  [ORPHAN_INDEX]: (pod: Pod) => (controllerOf(pod) ? [] : [pod.metadata.namespace ?? ""]),
  [TRACKED_INDEX]: (pod: Pod) => {
    if (!hasTrackingFinalizer(pod)) return [];
    return [controllerOf(pod)?.uid ?? `${pod.metadata.namespace}/`];
  },
};

function selectorValues({ metadata, spec }: Job): readonly string[] {
  const [first] = Object.entries(spec.selector?.matchLabels ?? {});
  return [`${metadata.namespace}/${first ? first.join("=") : ""}`];
}

function namesOf(key: string): [namespace: string, name: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}
