/**
 * The turns of an agent's pods: a pod of a Job is worked on when its Job has room for it, the
 * lowest index first. Other pods need no turn.
 */
import { completionIndexOf } from "../api/completion-index.ts";
import type { Job } from "../api/generated/batch.ts";
import type { Pod } from "../api/generated/core.ts";
import { runsAhead } from "../api/pods-ahead.ts";
import type { FoundJob } from "./job-gate.ts";
import { hasBegun, hasLife } from "./pod/facts.ts";
import type { PodRecord } from "./pod-record.ts";
import { Turns } from "./turns.ts";

export interface JobTurnsOptions {
  /** Undefined for a pod that no Job controls. */
  readonly findJob: (pod: Pod) => FoundJob | undefined;
  /** It is the pod's turn. */
  readonly call: (uid: string) => void;
}

export class JobTurns {
  private readonly turns = new Turns();
  private isCalling = false;

  constructor(private readonly options: JobTurnsOptions) {}

  /**
   * Whether the pod may be worked on. If not it waits, and is called. A pod that is to go need not
   * wait any longer. A pod of a Job that is not known yet waits for it.
   */
  has({ pod, facts }: PodRecord): boolean {
    const { uid = "", deletionTimestamp } = pod.metadata;
    const found = this.options.findJob(pod);
    if (!found) return true;
    const isGoing = facts.isRemoved === true || deletionTimestamp !== undefined;
    if (isGoing && !hasBegun(facts)) this.leave(uid);
    if (isGoing || this.turns.has(uid)) return true;
    const { job, uid: group } = found;
    const limit = job ? limitOf(job) : 0;
    // A pod that has begun needs no turn: how it ends, or ended, is to be reported.
    if (hasBegun(facts)) {
      if (hasLife(facts)) this.turns.keep(group, uid, limit);
      return true;
    }
    this.turns.wait(group, { uid, index: completionIndexOf(pod) }, limit);
    this.callSoon();
    return false;
  }

  onJob(job: Job): void {
    this.turns.limit(job.metadata.uid ?? "", limitOf(job));
    this.callSoon();
  }

  leave(uid: string): void {
    this.turns.leave(uid);
    this.callSoon();
  }

  /** Not before all that is known by now is entered: pods may come in any order. */
  private callSoon(): void {
    if (this.isCalling) return;
    this.isCalling = true;
    queueMicrotask(() => {
      this.isCalling = false;
      for (const uid of this.turns.call()) this.options.call(uid);
    });
  }
}

/** How many pods of the Job run at once; without pods ahead its controller makes no more. */
function limitOf(job: Job): number {
  return runsAhead(job) ? (job.spec.parallelism ?? 1) : Number.POSITIVE_INFINITY;
}
