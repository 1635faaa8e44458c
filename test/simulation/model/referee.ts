/**
 * Judges everything that the Job controller does by the documented rules and the history of the
 * store.
 *
 * For each write of the controller it checks: was this right, given what the controller could see?
 * It compares each status with its own ledger (ledger.ts), so that a wrong count is found at the
 * first write that has it. If several syncs may be hidden in one run of requests, a write is right
 * if it is right for one of the sights.
 *
 * Nothing here imports the controller. Reading order: pods and failures (what a pod is), ledger
 * (the counts), verdicts (how a Job ends), pods-wanted (which pods to create), then scenes,
 * status-rules, pod-rules and rest; forecast is independent of them.
 */
import type { Job } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import type { Entry, History } from "../history.ts";
import { ownerOf } from "../history.ts";
import { creationProblem, deletionProblem, type RunDeeds, releaseProblem } from "./pod-rules.ts";
import { isTracked } from "./pods.ts";
import { restProblems } from "./rest.ts";
import { Scenes } from "./scenes.ts";
import { judgeStatus, lastingProblem } from "./status-rules.ts";

export interface Finding {
  /** The name of the Job. */
  readonly job: string;
  readonly text: string;
}

export class Referee {
  readonly #scenes: Scenes;
  readonly #deeds = new WeakMap<object, RunDeeds>();

  constructor(
    private readonly history: History,
    private readonly blame: (finding: Finding) => void,
  ) {
    this.#scenes = new Scenes(history);
  }

  judge(entry: Entry): void {
    const isJob = entry.object.kind === "Job";
    const text = isJob ? this.#judgeJob(entry) : this.#judgePod(entry);
    if (text === undefined) return;
    const job = isJob
      ? entry.object.metadata.name
      : this.#jobOf(entry.object as Pod)?.metadata.name;
    this.blame({
      job: job ?? "",
      text: `${entry.object.metadata.name} @${entry.revision}: ${text}`,
    });
  }

  cutAfter(revision: number): void {
    this.#scenes.cutAfter(revision);
  }

  /** Called when nothing can happen any more: no work may be left. */
  checkRest(nowMs: number): void {
    for (const finding of restProblems(this.history, this.#scenes, nowMs)) this.blame(finding);
  }

  #judgeJob({ type, object, previous, revision, actor, call }: Entry): string | undefined {
    if (type !== "MODIFIED" || !previous) return undefined;
    const [next, before] = [object as Job, previous as Job];
    const lasting = lastingProblem(next, before);
    if (lasting || actor !== "job" || !call) return lasting;
    const { uid = "" } = next.metadata;
    // The server accepts a status only if it replaces the latest one, so it continues from the
    // current ledger.
    const ledger = this.#scenes.ledgerAt(uid, revision);
    const judged = judgeStatus(this.#scenes.ofCall(uid, call), next, before, {
      ledger,
      hadTrouble: call.hadTrouble,
      isReleased: (podUid) => {
        const pod = this.history.podAt(podUid, revision);
        return !pod || !isTracked(pod);
      },
    });
    if (judged.problem !== undefined) return judged.problem;
    this.#scenes.keep(uid, revision, judged.ledger);
    return undefined;
  }

  #judgePod(entry: Entry): string | undefined {
    const { type, actor, call } = entry;
    if (actor !== "job" || !call) return undefined;
    const [pod, before] = [entry.object as Pod, entry.previous as Pod | undefined];
    const uid = ownerOf(before ?? pod) ?? "";
    const deeds = this.#deedsOf(call.run);
    const scenes = this.#scenes.ofCall(uid, call);
    const truth = this.history.jobAt(uid, entry.revision);
    const ledger = this.#scenes.ledgerAt(uid, entry.revision);
    const situation = {
      scenes,
      deeds,
      truth,
      ledger,
      keyOf: this.#scenes.keyAt(entry.revision - 1),
    };
    if (type === "ADDED") return creationProblem(situation, pod, this.history, call);
    if (before && isTracked(before) && (type === "DELETED" || !isTracked(pod))) {
      const problem = releaseProblem(situation, before, pod);
      if (problem) return problem;
    }
    const wasMarked = before?.metadata.deletionTimestamp !== undefined;
    const isMarked = pod.metadata.deletionTimestamp !== undefined || type === "DELETED";
    if (before && isMarked && !wasMarked) return deletionProblem(situation, before);
    return undefined;
  }

  #deedsOf(run: object): RunDeeds {
    const known = this.#deeds.get(run) ?? { created: [], removed: new Map() };
    this.#deeds.set(run, known);
    return known;
  }

  #jobOf(pod: Pod): Job | undefined {
    return this.history.jobAt(ownerOf(pod) ?? "", Number.POSITIVE_INFINITY);
  }
}
