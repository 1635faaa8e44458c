/** Holds the pods of an Indexed Job that have names among each other until all have addresses. */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { jobs as jobType, pods as podType } from "../../api/resources.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { type Cache, openCache } from "../../client/cache.ts";
import { hasPeers, isStillComing, isWaveComplete } from "./wave.ts";

export interface PeersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The pod need not wait any longer. */
  readonly onReady: (podUid: string) => void;
}

/** Where none came for so long no more will come: they back off, or may not be made. */
const QUIET_MS = 1000;
/** However slow a machine is, and whatever the Job says. */
const LONGEST_MS = 30_000;
/** Answered once for each pod; those of this many are remembered at most. */
const MAX_REMEMBERED = 10_000;

export class Peers {
  private caches: Promise<Caches> | undefined;
  private opened: Caches | undefined;
  /** By the uid of the Job. */
  private readonly waiting = new Map<string, Wave>();
  private readonly begun = new Set<string>();
  /** By the uid of a pod that waits, that of its Job: clients may edit the owner of the pod. */
  private readonly jobOf = new Map<string, string>();
  private isClosed = false;

  constructor(private readonly options: PeersOptions) {}

  /** Whoever is told to wait is told when it is over. */
  mustWait(pod: Pod): boolean {
    if (!hasPeers(pod)) return false;
    const uid = pod.metadata.uid ?? "";
    if (this.begun.has(uid)) return false;
    const job = this.jobOf.get(uid) ?? controllerOf(pod)?.uid ?? "";
    this.jobOf.set(uid, job);
    const wave = this.waiting.get(job) ?? this.openWave(job);
    wave.pods.set(uid, pod);
    if (this.opened) this.look(job, this.opened);
    return !this.begun.has(uid);
  }

  /** The agent is through with it. */
  forget(uid: string): void {
    this.begun.delete(uid);
    this.waiting.get(this.jobOf.get(uid) ?? "")?.pods.delete(uid);
    this.jobOf.delete(uid);
  }

  close(): void {
    this.isClosed = true;
    for (const { timer } of this.waiting.values()) timer.cancel();
    this.waiting.clear();
    void this.caches?.then(closeAll, () => {});
  }

  private openWave(job: string): Wave {
    this.caches ??= this.openCaches();
    const sinceMs = this.options.clock.monotonicMs();
    const wave = { pods: new Map<string, Pod>(), timer: this.quietTimer(job), sinceMs };
    this.waiting.set(job, wave);
    return wave;
  }

  private quietTimer(job: string): Timer {
    return this.options.clock.schedule(QUIET_MS, () => this.onQuiet(job));
  }

  private onQuiet(uid: string): void {
    const wave = this.waiting.get(uid);
    if (!wave) return;
    const waitedMs = this.options.clock.monotonicMs() - wave.sinceMs;
    const job = this.opened && this.findJob(wave, this.opened);
    const isComing = !this.opened || (job && isStillComing(job, this.opened.pods.find("job", uid)));
    if (isComing && waitedMs < LONGEST_MS) wave.timer = this.quietTimer(uid);
    else this.release(uid);
  }

  /** Undefined where it is gone, or another one has its name. */
  private findJob({ pods }: Wave, { jobs }: Caches): Job | undefined {
    const [first] = pods.values();
    const owner = first && controllerOf(first);
    const job = first && jobs.get(first.metadata.namespace ?? "", owner?.name ?? "");
    return job?.metadata.uid === owner?.uid ? job : undefined;
  }

  /** Only once there is a pod that asks for it. */
  private async openCaches(): Promise<Caches> {
    const { client, clock, random, log } = this.options;
    const following = { client, clock, random, log };
    const [pods, jobs] = await Promise.all([
      openCache({ ...following, type: podType, indexes: { job: jobOf } }),
      openCache({ ...following, type: jobType }),
    ]);
    this.opened = { pods, jobs };
    pods.onChange(({ object, previous }) => {
      if (this.waiting.size > 0) this.onPod(object, previous);
    });
    for (const job of [...this.waiting.keys()]) this.look(job, this.opened);
    if (this.isClosed) closeAll(this.opened);
    return this.opened;
  }

  private onPod(pod: Pod, previous: Pod | undefined): void {
    const job = controllerOf(pod)?.uid ?? "";
    const wave = this.waiting.get(job);
    if (!wave || !this.opened) return;
    if (previous === undefined || previous.status.podIP !== pod.status.podIP) {
      wave.timer.cancel();
      wave.timer = this.quietTimer(job);
    }
    this.look(job, this.opened);
  }

  private look(uid: string, caches: Caches): void {
    const wave = this.waiting.get(uid);
    if (!wave) return;
    const job = this.findJob(wave, caches);
    if (!job || isWaveComplete(job, caches.pods.find("job", uid))) this.release(uid);
  }

  private release(job: string): void {
    const wave = this.waiting.get(job);
    this.waiting.delete(job);
    wave?.timer.cancel();
    for (const uid of wave?.pods.keys() ?? []) {
      this.jobOf.delete(uid);
      if (this.begun.size >= MAX_REMEMBERED) this.begun.clear();
      this.begun.add(uid);
      this.options.onReady(uid);
    }
  }
}

interface Caches {
  readonly pods: Cache<Pod>;
  readonly jobs: Cache<Job>;
}

interface Wave {
  readonly pods: Map<string, Pod>;
  readonly sinceMs: number;
  timer: Timer;
}

function jobOf(pod: Pod): readonly string[] {
  return hasPeers(pod) ? [controllerOf(pod)?.uid ?? ""] : [];
}

function closeAll({ pods, jobs }: Caches): void {
  pods.close();
  jobs.close();
}
