/**
 * A world of one Job as plain data: without server, client and real time. The decisions of the pure
 * core of the Job controller are carried out, rejected, or interrupted by a crash.
 */
import type { Job, JobStatus } from "../../src/api/generated/batch.ts";
import type { Pod, PodStatus } from "../../src/api/generated/core.ts";
import { isFinished } from "../../src/api/job-conditions.ts";
import type { Json } from "../../src/api/object.ts";
import { formatTime } from "../../src/api/time.ts";
import { decideJob, type JobDecision } from "../../src/controllers/job/decide.ts";
import { TRACKING_FINALIZER } from "../../src/controllers/job/names.ts";
import {
  forgetPod,
  isUpToDate,
  openScoreboard,
  recordPod,
  type Scoreboard,
  settleBoard,
} from "../../src/controllers/job/scoreboard.ts";
import {
  type ComposedStatus,
  composeStatus,
  foreseeStops,
  type PodsChanged,
  settleStatus,
} from "../../src/controllers/job/status.ts";
import { aJob } from "../builders/job.ts";
import { aJobPod, exited } from "../builders/job-pods.ts";

export const BACKOFF = { firstMs: 10_000, maxMs: 600_000 };

/** Small enough for short histories to reach it. */
export const PODS_PER_SYNC = 3;

/** Where a sync can be interrupted: after the pods were changed, after the first status, … */
export const CUTS = ["pods", "names", "stops", "half the releases", "releases"] as const;

export interface SyncFields {
  /** How many of the pods to create, delete or release are rejected. */
  readonly refused?: number;
  readonly cut?: (typeof CUTS)[number];
  /** Whether the interruption is a crash, after which nothing is remembered, or a failed call. */
  readonly isCrash?: boolean;
}

/** One sync as seen from outside. */
export interface Sync {
  readonly job: Job;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly board: Scoreboard;
  readonly nowMs: number;
  readonly decision: JobDecision;
  readonly composed: ComposedStatus;
  /** The pods after the sync. */
  readonly left: ReadonlyMap<string, Pod>;
  /** The statuses that were written, in order. */
  readonly written: readonly JobStatus[];
  readonly isWhole: boolean;
  /** How often the controller has restarted, and so forgotten everything. */
  readonly restarts: number;
}

export type Witness = (sync: Sync) => void;

type Tracking = Pick<Sync, "composed" | "nowMs"> & { readonly written: JobStatus[] };

export class JobWorld {
  job: Job;
  nowMs = Date.UTC(2026, 0, 1);
  readonly pods = new Map<string, Pod>();
  private board: Scoreboard | undefined;
  private readonly changed = new Map<string, Pod | undefined>();
  private made = 0;
  private restarts = 0;

  constructor(
    spec: { [field: string]: Json },
    private readonly witness: Witness = () => {},
  ) {
    this.job = frozen(aJob(spec, { uid: "job" }));
  }

  /** A copy of the world without the witness: changing one does not change the other. */
  copy(): JobWorld {
    const copy: JobWorld = Object.create(JobWorld.prototype);
    const { board, job } = this;
    return Object.assign(copy, this, {
      witness: () => {},
      pods: new Map(this.pods),
      changed: new Map(),
      board: board && openScoreboard(job, this.pods.values(), board),
    });
  }

  edit(spec: Partial<Job["spec"]>): void {
    this.job = frozen({ ...this.job, spec: { ...this.job.spec, ...spec } });
  }

  deleteJob(): void {
    const metadata = { deletionTimestamp: formatTime(this.nowMs), ...this.job.metadata };
    this.job = frozen({ ...this.job, metadata });
  }

  restart(): void {
    this.restarts++;
    this.board = undefined;
  }

  /** Adds a pod that the controller did not plan: of a former controller, or of a user. */
  addPod(index?: number): void {
    this.put(aJobPod(this.job, this.identity(index)));
  }

  setStatus(uid: string, status: PodStatus): void {
    const pod = this.pods.get(uid);
    if (pod && !isOver(pod)) this.put({ ...pod, status: { ...pod.status, ...status } });
  }

  endPod(uid: string, exitCode: number, condition?: string): void {
    this.setStatus(uid, {
      phase: exitCode === 0 ? "Succeeded" : "Failed",
      containerStatuses: [exited("c", exitCode, formatTime(this.nowMs))],
      conditions: condition === undefined ? [] : [{ type: condition, status: "True" }],
    });
  }

  deletePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = formatTime(this.nowMs);
    this.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  sync(fields: SyncFields = {}): Sync | undefined {
    if (isFinished(this.job)) return undefined;
    const board = this.observe();
    const { job, nowMs, restarts } = this;
    const limits = { backoff: BACKOFF, podsPerSync: PODS_PER_SYNC };
    const observation = { job, board, nowMs, ...limits };
    const pods = new Map(this.pods);
    const decision = decideJob(observation);
    const { refused = 0 } = fields;
    const foreseen = foreseeStops(job, decision);
    const changed = foreseen ?? this.change(decision, refused);
    const composed = composeStatus(observation, decision, changed);
    const written: JobStatus[] = [];
    const seen = { job, pods, board, nowMs, decision, composed, written, restarts };
    const stop = foreseen ? () => this.change(decision, refused) : () => changed;
    const isWhole = this.track(seen, fields, stop) && changed.errors.length === 0;
    const sync = { ...seen, left: new Map(this.pods), isWhole };
    this.witness(sync);
    if (fields.cut && fields.isCrash) this.restart();
    return sync;
  }

  private observe(): Scoreboard {
    const { board: former, job, changed } = this;
    const isKept = former && isUpToDate(former, job);
    const board = isKept ? former : openScoreboard(job, this.pods.values(), former);
    for (const [uid, pod] of isKept ? changed : []) {
      if (pod) recordPod(board, pod);
      else forgetPod(board, uid);
    }
    changed.clear();
    settleBoard(board);
    this.board = board;
    return board;
  }

  private change({ podChanges }: JobDecision, refused: number): PodsChanged {
    const none = { created: 0, removed: 0, removedReady: 0 };
    if (!("pods" in podChanges)) return { ...none, errors: [] };
    const errors = podChanges.pods.slice(0, refused).map(() => "refused");
    if (podChanges.kind === "create") {
      const planned = podChanges.pods.slice(refused);
      for (const { index, ...plan } of planned) {
        this.put(aJobPod(this.job, { ...this.identity(index), ...plan }));
      }
      return { ...none, created: planned.length, errors };
    }
    const removed = podChanges.pods.slice(refused);
    for (const { uid } of removed) {
      if (podChanges.kind === "remove") this.untrack(uid);
      this.deletePod(uid);
    }
    const removedReady = removed.filter(({ isReady }) => isReady).length;
    return { ...none, removed: removed.length, removedReady, errors };
  }

  /** Returns whether tracking ran to its end. */
  private track(
    { composed, written, nowMs }: Tracking,
    { refused = 0, cut }: SyncFields,
    stop: () => PodsChanged,
  ): boolean {
    if (cut === "pods") return false;
    this.write(written, composed.status);
    if (cut === "names") return false;
    const { errors } = stop();
    if (cut === "stops" || (composed.verdict && errors.length > 0)) return false;
    const { pods } = composed.releases;
    const half = Math.floor(pods.length / 2);
    const released = cut === "half the releases" ? pods.slice(0, half) : pods.slice(refused);
    for (const { uid } of released) this.untrack(uid);
    if (cut !== undefined) return false;
    const uids = new Set(released.map(({ uid }) => uid));
    this.write(written, settleStatus(composed, uids, nowMs).status);
    return released.length === pods.length;
  }

  private write(written: JobStatus[], status: JobStatus): void {
    written.push(status);
    this.job = frozen({ ...this.job, status });
  }

  private untrack(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    const { finalizers: _finalizers, ...metadata } = pod.metadata;
    this.put({ ...pod, metadata });
  }

  /** A deleted pod vanishes if it has ended or never started, and has no finalizer. */
  private put(pod: Pod): void {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const isIdle = isOver(pod) || pod.status.phase === "Pending";
    if (deletionTimestamp !== undefined && isIdle && !isTracked(pod)) this.pods.delete(uid);
    else this.pods.set(uid, frozen(pod));
    this.changed.set(uid, this.pods.get(uid));
  }

  private identity(index: number | undefined) {
    const creationTimestamp = formatTime(this.nowMs);
    const uid = `p${++this.made}`;
    return { uid, ...(index === undefined ? {} : { index }), metadata: { creationTimestamp } };
  }
}

export function isOver({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Freezes deeply, so that a core that modifies its arguments throws. */
function frozen<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) {
    if (typeof part === "object" && part !== null) frozen(part);
  }
  return value;
}
