/**
 * Whether a pod of a Job may begin, as far as its Job is concerned. The Job has to be there: a pod
 * of a Job that is not known yet is held, and so is one of a Job that was replaced, until it is
 * deleted. A Job that has pods made ahead and is to run none begins none.
 *
 * It also states when such a Job is drained: no process of it is left, and every end is on disk.
 */
import type { Client } from "../api/client.ts";
import { DRAINED, drainedNodes, withDrainedNode } from "../api/drained.ts";
import { ApiError } from "../api/errors.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Pod, Secret } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import { runsAhead } from "../api/pods-ahead.ts";
import { jobs } from "../api/resources.ts";
import type { Log } from "../base/log.ts";
import type { Cache } from "../client/cache.ts";
import { type FormerPlace, FormerProcesses } from "./former-processes.ts";
import { isTerminal } from "./pod/endings.ts";
import { hasBegun, hasLife } from "./pod/facts.ts";
import type { PodRecord } from "./pod-record.ts";

export interface JobGateOptions {
  readonly client: Client;
  readonly log: Log;
  readonly nodeName: string;
  readonly jobs: Pick<Cache<Job>, "get">;
  readonly configMaps: Pick<Cache<ConfigMap>, "get">;
  readonly secrets: Pick<Cache<Secret>, "get">;
  readonly records: () => Iterable<PodRecord>;
  /** Processes whose pods are gone, of Jobs that nobody knows any more. */
  readonly hasStrays: () => boolean;
  /** The pod may have been held by its Job. */
  readonly retry: (uid: string) => void;
}

export class JobGate {
  /** By the uid of the Job, pods that wait for it; and by pod, the Job it waits for. */
  private readonly held = new Map<string, Set<string>>();
  private readonly heldFor = new Map<string, string>();
  /** By uid, Jobs with pods ahead that are to run none. */
  private readonly paused = new Map<string, Job>();

  private readonly former: FormerProcesses;

  constructor(private readonly options: JobGateOptions) {
    this.former = new FormerProcesses({ ...options, findJob: (pod) => this.findJob(pod) });
  }

  /** Where processes of its item may live from before its run was resumed. */
  formerPlaces(pod: Pod): readonly FormerPlace[] {
    return this.former.placesOf(pod);
  }

  /** The Job of the pod; undefined for a pod that no Job controls. */
  findJob(pod: Pod): FoundJob | undefined {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job" || !owner.apiVersion.startsWith("batch/")) return undefined;
    const job = this.options.jobs.get(pod.metadata.namespace ?? "", owner.name);
    const isThere = job?.metadata.uid === owner.uid;
    return { uid: owner.uid, ...(job && isThere ? { job } : {}) };
  }

  /** If it may not, `retry` is called when that may have changed. */
  mayBegin({ pod, facts }: PodRecord): boolean {
    const found = this.findJob(pod);
    if (!found || hasBegun(facts)) return true;
    const { job, uid } = found;
    if (job && !isPaused(job)) return true;
    this.hold(uid, pod);
    return false;
  }

  /** The pod is looked at again when there is news of the Job. */
  private hold(jobUid: string, { metadata: { uid = "" } }: Pod): void {
    this.heldFor.set(uid, jobUid);
    const waiting = this.held.get(jobUid) ?? new Set();
    this.held.set(jobUid, waiting.add(uid));
  }

  forget(podUid: string): void {
    const jobUid = this.heldFor.get(podUid) ?? "";
    this.heldFor.delete(podUid);
    const waiting = this.held.get(jobUid);
    waiting?.delete(podUid);
    if (waiting?.size === 0) this.held.delete(jobUid);
  }

  onJob(job: Job, isDeleted: boolean): void {
    const { uid = "" } = job.metadata;
    if (isPaused(job) && !isDeleted) this.paused.set(uid, job);
    else this.paused.delete(uid);
    if (isDeleted) this.former.forgetJob(job);
    const waiting = this.held.get(uid);
    if (waiting && !isDeleted && !isPaused(job)) {
      this.held.delete(uid);
      for (const pod of waiting) {
        this.heldFor.delete(pod);
        this.options.retry(pod);
      }
    }
    this.stateDrained();
  }

  /** Something of a pod has ended, and is told. */
  stateDrained(): void {
    if (this.paused.size === 0 || this.options.hasStrays()) return;
    const { nodeName } = this.options;
    const due = [...this.paused.values()].filter((job) => !drainedNodes(job).has(nodeName));
    if (due.length === 0) return;
    const busy = new Set<string>();
    for (const record of this.options.records()) {
      if (!isQuiet(record)) busy.add(controllerOf(record.pod)?.uid ?? "");
    }
    for (const job of due) if (!busy.has(job.metadata.uid ?? "")) this.state(job);
  }

  private state(job: Job): void {
    const { client, log, nodeName } = this.options;
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = job.metadata;
    const annotations = { [DRAINED]: withDrainedNode(job, nodeName) };
    const body = { metadata: { resourceVersion, uid, annotations } };
    client.patch(jobs, { namespace, name }, { type: "merge", body }).catch((error: unknown) => {
      // A Job that changed meanwhile is about to be heard of again.
      const reason = error instanceof ApiError ? error.reason : "";
      if (reason !== "Conflict" && reason !== "NotFound") {
        log.warn("that a Job is drained could not be stated", { name, error });
      }
    });
  }
}

export interface FoundJob {
  readonly uid: string;
  /** Absent: it is not known yet, or another one has its name by now. */
  readonly job?: Job;
}

function isPaused(job: Job): boolean {
  return runsAhead(job) && job.spec.parallelism === 0;
}

/** No process of it lives or may live, and each end is on disk and told. */
function isQuiet({ pod, facts, ended, reading }: PodRecord): boolean {
  if (hasLife(facts) || ended.length > 0 || reading > 0) return false;
  return !hasBegun(facts) || facts.isRemoved === true || isTerminal(pod.status.phase);
}
