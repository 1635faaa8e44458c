/** What must hold when nothing happens any more. */
import type { Job } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import { type History, ownerOf } from "../history.ts";
import { isFinished } from "./conditions.ts";
import { knowledgeOf, type Scene } from "./ledger.ts";
import { isActive, isBeingDeleted, isReady, isTerminating, isTracked } from "./pods.ts";
import { creationsIn, removalsIn } from "./pods-wanted.ts";
import type { Finding } from "./referee.ts";
import type { Scenes } from "./scenes.ts";
import { earlyVerdict, lateVerdict } from "./verdicts.ts";

const LATEST = Number.POSITIVE_INFINITY;

export function restProblems(history: History, scenes: Scenes, nowMs: number): Finding[] {
  const seen = new Map(
    history.entries.map(({ object }) => [object.metadata.uid ?? "", object.kind]),
  );
  const uids = [...seen.keys()];
  const jobs = uids.flatMap((uid) =>
    seen.get(uid) === "Job" ? (history.jobAt(uid, LATEST) ?? []) : [],
  );
  const pods = uids.flatMap((uid) =>
    seen.get(uid) === "Pod" ? (history.podAt(uid, LATEST) ?? []) : [],
  );
  const ofJobs = jobs.flatMap((job) => {
    const sight = { jobs: LATEST, pods: LATEST, nowMs };
    const scene = scenes.at(job.metadata.uid ?? "", sight);
    const text = scene && jobProblem(scene);
    return text ? [{ job: job.metadata.name ?? "", text: `at rest, ${text}` }] : [];
  });
  const ofPods = pods.flatMap((pod) => {
    const text = podProblem(pod, jobs, uids);
    return text ? [{ job: "", text: `at rest, pod ${pod.metadata.name} ${text}` }] : [];
  });
  return [...ofJobs, ...ofPods];
}

function jobProblem(scene: Scene): string | undefined {
  const { job, pods } = scene;
  const { spec, status } = job;
  if (isBeingDeleted(job)) return "the Job is still being deleted";
  if (isFinished(job)) {
    return spec.ttlSecondsAfterFinished === undefined ? undefined : "the Job has outlived its time";
  }
  const known = knowledgeOf(scene);
  const end = earlyVerdict(scene, known) ?? lateVerdict(scene, known);
  if (end) return `the Job has not ended for ${end.reason}`;
  const removals = removalsIn(scene, known).count;
  if (removals > 0) return `${removals} pods should have been removed`;
  const creations = creationsIn(scene, known).count;
  if (creations > 0) return `${creations} pods should have been created`;
  const expected = {
    active: pods.filter(isActive).length,
    ready: pods.filter((pod) => isActive(pod) && isReady(pod)).length,
    terminating: pods.filter(isTerminating).length,
  };
  const { active = 0, ready = 0, terminating = 0 } = status;
  const actual = { active, ready, terminating };
  if (JSON.stringify(expected) !== JSON.stringify(actual)) {
    return `expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`;
  }
  return expected.active > 0 ? "pods still run" : undefined;
}

function podProblem(pod: Pod, jobs: readonly Job[], uids: readonly string[]): string | undefined {
  const owner = ownerOf(pod);
  const job = jobs.find(({ metadata }) => metadata.uid === owner);
  if (isTracked(pod) && (!job || isFinished(job))) return "keeps its finalizer";
  if (isBeingDeleted(pod) && !isTracked(pod)) return "is still being deleted";
  if (owner !== undefined && !job && uids.includes(owner)) return "has outlived its owner";
  return undefined;
}
