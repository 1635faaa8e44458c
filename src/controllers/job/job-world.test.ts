import fc from "fast-check";
import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { aJobPod, exited } from "../../../test/builders/job-pods.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Json } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import { jobKind } from "../../kinds/job/kind.ts";
import { decideJob, type JobDecision } from "./decide.ts";
import { formatIndexes, hasIndex, parseIndexes } from "./index-set.ts";
import { isFinished, isSuspended, replacesOnlyFailed } from "./job-facts.ts";
import { completionIndexOf, hasTrackingFinalizer, stageOf } from "./pod-facts.ts";
import {
  forgetPod,
  isUpToDate,
  openScoreboard,
  recordPod,
  type Scoreboard,
  settleBoard,
} from "./scoreboard.ts";
import { composeStatus, type PodsChanged, settleStatus } from "./status.ts";

/** A cluster of one Job without a server: what the controller decides is done, or fails. */
class World {
  job: Job;
  readonly pods = new Map<string, Pod>();
  nowMs = Date.UTC(2026, 0, 1);
  /** Pods that ended in failure while the Job looked after them. */
  private readonly failed = new Set<string>();
  private board: Scoreboard;
  private changed = new Map<string, Pod | undefined>();
  private made = 0;

  constructor(spec: { [field: string]: Json }) {
    this.job = aJob(spec, { uid: "job" });
    this.board = openScoreboard(this.job, []);
  }

  put(pod: Pod): void {
    const { uid = "", finalizers = [] } = pod.metadata;
    const isFree = finalizers.length === 0 && pod.metadata.deletionTimestamp !== undefined;
    const isOver = ["succeeded", "failed"].includes(stageOf(pod));
    if (isFree && isOver) this.pods.delete(uid);
    else this.pods.set(uid, pod);
    this.changed.set(uid, this.pods.get(uid));
  }

  edit(spec: Partial<Job["spec"]>): void {
    this.job = { ...this.job, spec: { ...this.job.spec, ...spec } };
  }

  restart(): void {
    this.board = openScoreboard(this.job, this.pods.values());
    this.changed.clear();
  }

  /** Of what is asked for, so many are refused: pods to create or delete, pods to release. */
  sync(refused = 0): JobDecision | undefined {
    if (isFinished(this.job)) return undefined;
    this.observe();
    const { job, board, nowMs } = this;
    const observation = { job, board, nowMs, backoff: { firstMs: 10_000, maxMs: 600_000 } };
    const decision = decideJob(observation);
    checkDecision(job, board, decision);
    expect(decision.tally.failed).toBe(this.countFailures());
    const changed = this.act(decision, refused);
    const composed = composeStatus(observation, decision, changed);
    for (const { uid } of composed.releases.pods) {
      const pod = this.pods.get(uid);
      if (pod) expect(stageOf(pod)).not.toBe("active");
    }
    expect(composed.status.active ?? 0).toBe(this.countStage("active"));
    expect(composed.status.terminating).toBe(this.countStage("terminating"));
    this.write(composed.status);
    const released = composed.releases.pods.slice(refused);
    for (const { uid } of released) this.untrack(uid);
    const uids = new Set(released.map(({ uid }) => uid));
    this.write(settleStatus(composed, uids, nowMs).status);
    return decision;
  }

  private countStage(stage: string): number {
    return [...this.pods.values()].filter((pod) => stageOf(pod) === stage).length;
  }

  /** In so many words: those counted, and those that failed and are not yet. */
  private countFailures(): number {
    const { spec, status } = this.job;
    const { failed = [] } = status.uncountedTerminatedPods ?? {};
    const waiting = [...this.pods.values()].filter((pod) => {
      const index = completionIndexOf(pod) ?? Number.POSITIVE_INFINITY;
      const isGoing = stageOf(pod) === "terminating" && !replacesOnlyFailed(spec);
      const exitCode = pod.status.containerStatuses?.[0]?.state.terminated?.exitCode;
      return (
        hasTrackingFinalizer(pod) &&
        (stageOf(pod) === "failed" || isGoing) &&
        !failed.includes(pod.metadata.uid ?? "") &&
        !(spec.podFailurePolicy && exitCode === 9) &&
        (spec.completionMode !== "Indexed" || index < (spec.completions ?? 0))
      );
    });
    return (status.failed ?? 0) + failed.length + waiting.length;
  }

  private observe(): void {
    if (!isUpToDate(this.board, this.job)) {
      this.board = openScoreboard(this.job, this.pods.values(), this.board);
    } else {
      for (const [uid, pod] of this.changed) {
        if (pod) recordPod(this.board, pod);
        else forgetPod(this.board, uid);
      }
    }
    this.changed.clear();
    settleBoard(this.board);
    const fresh = openScoreboard(this.job, this.pods.values());
    settleBoard(fresh);
    expect(summaryOf(this.board)).toEqual(summaryOf(fresh));
    const { retained, activePlaces, completed, failed } = this.board;
    for (const index of retained.keys()) {
      const isTaken = [activePlaces.indexes, completed, failed].some((set) => hasIndex(set, index));
      expect(isTaken).toBe(false);
    }
  }

  private act({ podChanges }: JobDecision, refused: number): PodsChanged {
    const none = { created: 0, removed: 0, removedReady: 0, errors: [] };
    if (podChanges.kind === "create") {
      const planned = podChanges.pods.slice(refused);
      for (const plan of planned) this.put(aJobPod(this.job, { uid: `p${++this.made}`, ...plan }));
      const errors = podChanges.pods.slice(0, refused).map(() => new Error("refused"));
      return { ...none, created: planned.length, errors };
    }
    if (podChanges.kind !== "remove" && podChanges.kind !== "terminate") return none;
    const gone = podChanges.pods.slice(refused);
    for (const { uid } of gone) {
      if (podChanges.kind === "remove") this.untrack(uid);
      this.markDeleted(uid);
    }
    return {
      ...none,
      removed: gone.length,
      removedReady: gone.filter(({ isReady }) => isReady).length,
      errors: podChanges.pods.slice(0, refused).map(() => new Error("refused")),
    };
  }

  private untrack(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    const { finalizers: _finalizers, ...metadata } = pod.metadata;
    this.put({ ...pod, metadata });
  }

  markDeleted(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod || pod.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = formatTime(this.nowMs);
    this.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  end(uid: string, exitCode: number): void {
    const pod = this.pods.get(uid);
    if (!pod || ["succeeded", "failed"].includes(stageOf(pod))) return;
    const containerStatuses = [exited("c", exitCode, formatTime(this.nowMs))];
    const phase = exitCode === 0 ? "Succeeded" : "Failed";
    this.put({ ...pod, status: { phase, containerStatuses } });
  }

  private write(status: JobStatus): void {
    const next = { ...this.job, status };
    const findings = jobKind.rules.validateStatusUpdate?.(next as never, this.job) ?? [];
    expect(findings).toEqual([]);
    checkGrowth(this.job, status);
    for (const uid of status.uncountedTerminatedPods?.failed ?? []) this.failed.add(uid);
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    expect((status.failed ?? 0) + failed.length).toBe(this.failed.size);
    expect(new Set([...succeeded, ...failed]).size).toBe(succeeded.length + failed.length);
    if (isFinished(next)) {
      expect(this.countStage("active") + this.countStage("terminating")).toBe(0);
      expect([...this.pods.values()].filter(hasTrackingFinalizer)).toEqual([]);
    }
    this.job = next;
  }
}

function checkDecision({ spec }: Job, board: Scoreboard, { podChanges, tally }: JobDecision): void {
  if (podChanges.kind !== "create") return;
  const { pods } = podChanges;
  expect(pods.length).toBeGreaterThan(0);
  const held = replacesOnlyFailed(spec) ? tally.terminating : 0;
  expect(tally.active + held + pods.length).toBeLessThanOrEqual(spec.parallelism ?? 1);
  if (spec.completionMode !== "Indexed") return;
  const indexes = pods.map(({ index }) => index ?? -1);
  expect(new Set(indexes).size).toBe(indexes.length);
  for (const index of indexes) {
    expect(index).toBeGreaterThanOrEqual(0);
    expect(index).toBeLessThan(spec.completions ?? 0);
    expect(hasIndex(board.completed, index)).toBe(false);
    expect(hasIndex(board.failed, index)).toBe(false);
    const active = [...board.active.values()].map(({ pod }) => completionIndexOf(pod));
    expect(active).not.toContain(index);
  }
}

/** What was completed stays completed, in a Job as large as it was. */
function checkGrowth({ spec, status: before }: Job, after: JobStatus): void {
  const completions = spec.completions ?? 0;
  const now = parseIndexes(after.completedIndexes ?? "", completions);
  const then = parseIndexes(before.completedIndexes ?? "", completions);
  for (let index = 0; index < completions; index++) {
    if (hasIndex(then, index)) expect(hasIndex(now, index)).toBe(true);
  }
  if (spec.completionMode === "Indexed") expect(after.succeeded ?? 0).toBe(now.size);
}

function summaryOf(board: Scoreboard) {
  const uids = (known: Iterable<{ readonly uid: string }>) =>
    [...known].map(({ uid }) => uid).sort();
  return {
    active: uids(board.active.values()),
    tracked: uids(board.tracked.values()),
    finished: uids(board.finished.values()).length + board.retained.size,
    fatal: [...board.fatal.keys()].sort(),
    misplaced: uids(board.misplaced.values()),
    ready: board.ready,
    terminating: board.terminating,
    restarts: board.restarts,
    successes: board.successes,
    failures: board.failures,
    completed: formatIndexes(board.completed),
    failed: formatIndexes(board.failed),
    rules: board.successRules.map(({ completed }) => completed),
    taken: formatIndexes(board.activePlaces.indexes),
    repeated: [...board.activePlaces.surplus].sort(),
  };
}

type Step =
  | { readonly kind: "sync"; readonly refused: number }
  | {
      readonly kind: "run" | "succeed" | "fail" | "ignore" | "delete" | "vanish";
      readonly at: number;
    }
  | { readonly kind: "stranger"; readonly index: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "scale"; readonly to: number }
  | { readonly kind: "suspend" | "resume" | "restart" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("sync" as const),
      refused: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom("run", "run", "succeed", "fail", "ignore", "delete", "vanish"),
      at: fc.nat(30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("stranger" as const), index: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("scale" as const), to: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("suspend", "resume", "restart") }) },
);

const POLICY = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [9] } }] };

const spec = fc
  .record({
    completionMode: fc.constantFrom("Indexed", "NonIndexed"),
    completions: fc.integer({ min: 1, max: 5 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    backoffLimit: fc.nat(6),
    perIndex: fc.constantFrom(undefined, 0, 0, 1),
    policy: fc.boolean(),
    podReplacementPolicy: fc.constantFrom("Failed", "TerminatingOrFailed"),
  })
  .map(({ perIndex, policy, podReplacementPolicy, ...plain }) => ({
    ...plain,
    ...(perIndex !== undefined && plain.completionMode === "Indexed"
      ? { backoffLimitPerIndex: perIndex }
      : {}),
    ...(policy ? { podFailurePolicy: POLICY } : { podReplacementPolicy }),
  }));

function play(world: World, each: Step): void {
  const uids = [...world.pods.keys()];
  const uid = "at" in each ? (uids[each.at % Math.max(1, uids.length)] ?? "") : "";
  switch (each.kind) {
    case "sync":
      world.sync(each.refused);
      return;
    case "run": {
      const pod = world.pods.get(uid);
      if (!pod || stageOf(pod) !== "active") return;
      const conditions = [{ type: "Ready", status: "True" }];
      world.put({ ...pod, status: { phase: "Running", conditions } });
      return;
    }
    case "succeed":
      world.end(uid, 0);
      return;
    case "fail":
      world.end(uid, 1);
      return;
    case "ignore":
      world.end(uid, 9);
      return;
    case "delete":
      world.markDeleted(uid);
      return;
    case "vanish":
      vanish(world, uid);
      return;
    case "stranger":
      world.put(aJobPod(world.job, { uid: `s${uids.length}`, index: each.index }));
      return;
    case "wait":
      world.nowMs += each.seconds * 1000;
      return;
    case "scale":
      scale(world, each.to);
      return;
    case "restart":
      world.restart();
      return;
    default:
      world.edit({ suspend: each.kind === "suspend" });
  }
}

/** A node lets go of a pod; one with a finalizer stays. */
function vanish(world: World, uid: string): void {
  const pod = world.pods.get(uid);
  if (!pod || pod.metadata.deletionTimestamp === undefined || hasTrackingFinalizer(pod)) return;
  world.end(uid, 143);
}

function scale(world: World, to: number): void {
  const isElastic = world.job.spec.completionMode === "Indexed";
  world.edit(isElastic ? { completions: to, parallelism: to } : { parallelism: to });
}

/** Everything that runs succeeds, everything deleted goes, time passes. */
function finish(world: World): void {
  world.edit({ suspend: false });
  if (world.job.spec.parallelism === 0) scale(world, 2);
  for (let round = 0; round < 60 && !isFinished(world.job); round++) {
    for (const pod of [...world.pods.values()]) {
      const { uid = "" } = pod.metadata;
      if (stageOf(pod) === "active") world.end(uid, 0);
      if (stageOf(pod) === "terminating") world.end(uid, 143);
    }
    world.sync();
    world.nowMs += 601_000;
  }
}

test("whatever happens to its pods, a Job keeps its books and comes to an end", () => {
  fc.assert(
    fc.property(spec, fc.array(step, { maxLength: 60 }), (fields, steps) => {
      const world = new World(fields);
      for (const each of steps) play(world, each);
      finish(world);
      expect(isFinished(world.job)).toBe(true);
      expect(isSuspended(world.job)).toBe(false);
    }),
    { numRuns: 200 },
  );
});
