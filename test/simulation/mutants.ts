/**
 * Mistakes that someone could make in the rules of the Job controller. Each is planted in turn, and
 * the simulation has to detect it. If the text to replace no longer exists, the test fails: then
 * update the mutant.
 */

export interface Mutant {
  readonly mistake: string;
  /** Relative to src/controllers/job. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
  /** A seed that detects it, tried before the others; default: 1. */
  readonly seed?: number;
}

export const MUTANTS: readonly Mutant[] = [
  {
    mistake: "a Job fails when its failures reach the limit, not when they exceed it",
    file: "verdict.ts",
    find: "tally.failed <= limit",
    replace: "tally.failed < limit",
    seed: 2,
  },
  {
    mistake: "container restarts may reach the limit",
    file: "verdict.ts",
    find: "board.restarts >= Math.max(1, limit)",
    replace: "board.restarts > Math.max(1, limit)",
    seed: 6,
  },
  {
    mistake: "a deadline comes twice as late",
    file: "verdict.ts",
    find: "seconds * 1000",
    replace: "seconds * 2000",
    seed: 18,
  },
  {
    mistake: "the limit of failed indexes may not be reached",
    file: "verdict.ts",
    find: "failed.size - pardonedFailures(job) > limit",
    replace: "failed.size - pardonedFailures(job) >= limit",
  },
  {
    mistake: "a Job with a failed index does not end with its last index",
    file: "verdict.ts",
    find: "board.failed.size + board.completed.size",
    replace: "board.completed.size",
  },
  {
    mistake: "success is checked before failure",
    file: "verdict.ts",
    find: "  failurePolicy,\n",
    replace: "  successPolicy,\n  failurePolicy,\n",
    seed: 166,
  },
  {
    mistake: "a Job is complete while pods are active",
    file: "verdict.ts",
    find: "active > 0 ||",
    replace: "",
    seed: 2,
  },
  {
    mistake: "terminating pods are replaced at once, whatever the policy",
    file: "pod-changes.ts",
    find: "replacesOnlyFailed(job.spec) ? tally.terminating : 0",
    replace: "0",
    seed: 11,
  },
  {
    mistake: "a suspended Job without pods creates pods",
    file: "pod-changes.ts",
    find: "if (isSuspended(job))",
    replace: "if (isSuspended(job) && board.active.size > 0)",
    seed: 5,
  },
  {
    mistake: "a failed index is run again",
    file: "pod-changes.ts",
    find: "board.activePlaces.indexes, board.failed]",
    replace: "board.activePlaces.indexes]",
  },
  {
    mistake: "pods with an invalid index are removed in addition to the surplus",
    file: "pod-changes.ts",
    find: "atLeast - removed.length",
    replace: "atLeast",
    seed: 66,
  },
  {
    mistake: "a replacement forgets the failure it replaces",
    file: "pod-changes.ts",
    find: "counted: counted + 1, ignored",
    replace: "counted, ignored",
  },
  {
    mistake: "an index does not wait for its back-off",
    file: "pod-changes.ts",
    find: "if (waitMs > 0)",
    replace: "if (waitMs > 600_000)",
  },
  {
    mistake: "pods listed as uncounted are counted again",
    file: "tally.ts",
    find: "failed.length - counted.failures",
    replace: "failed.length",
    seed: 11,
  },
  {
    mistake: "a Job finishes while pods terminate",
    file: "status.ts",
    find: "(counted.terminating ?? 0) > 0",
    replace: "false",
  },
  {
    mistake: "a Job finishes while pods are not released",
    file: "status.ts",
    find: "!verdict || isPending || isUncounted",
    replace: "!verdict",
    seed: 45,
  },
  {
    mistake: "a suspended Job keeps its start time",
    file: "status.ts",
    find: 'return { suspension: "Suspended",',
    replace: 'return { ...job.status, suspension: "Suspended",',
  },
  {
    mistake: "ignored failures are counted",
    file: "releases.ts",
    find: "failure?.isCounted === false",
    replace: "false",
    seed: 7,
  },
  {
    mistake: "pods deleted because the Job succeeded count as failed",
    file: "releases.ts",
    find: 'verdict?.type === "FailureTarget"',
    replace: "verdict !== undefined",
    seed: 5,
  },
  {
    mistake: "a pod is released before it is counted",
    file: "releases.ts",
    find: "chosen.failed.push(known.uid)",
    replace: "chosen.failed.push()",
  },
  {
    mistake: "the pod a replacement counts from is released early",
    file: "scoreboard.ts",
    find: "const isReplaced = hasIndex(activePlaces.indexes, index)",
    replace: "const isReplaced = true",
  },
  {
    mistake: "an index may fail once more than its limit says",
    file: "scoreboard.ts",
    find: "failuresBefore(pod).counted >= limit",
    replace: "failuresBefore(pod).counted > limit",
  },
  {
    mistake: "FailIndex is treated as Count",
    file: "scoreboard.ts",
    find: 'failure.action === "FailIndex" ||',
    replace: "",
    seed: 5,
  },
  {
    mistake: "a Job scaled down keeps indexes that are out of range",
    file: "scoreboard.ts",
    find: "spec.completions === job.spec.completions",
    replace: "true",
    seed: 70,
  },
  {
    mistake: "a terminating pod counts as failed, whatever the policy",
    file: "scoreboard.ts",
    find: '(stage === "terminating" && !replacesOnlyFailed(spec))',
    replace: 'stage === "terminating"',
    seed: 5,
  },
  {
    mistake: "the back-off does not grow",
    file: "backoff.ts",
    find: "before + since.length",
    replace: "Math.min(1, before + since.length)",
    seed: 2,
  },
  {
    mistake: "NotIn is treated as In",
    file: "failure-policy.ts",
    find: 'operator === "NotIn" && !isListed',
    replace: "isListed",
    seed: 41,
  },
  {
    mistake: "a rule about conditions matches a condition with another status",
    file: "failure-policy.ts",
    find: "pattern.type === type && pattern.status === status",
    replace: "pattern.type !== type",
    seed: 6,
  },
  {
    mistake: "a success rule requires one index more",
    file: "success-policy.ts",
    find: "completed >= succeededCount",
    replace: "completed > succeededCount",
    seed: 5,
  },
  {
    mistake: "a Job that is being deleted still creates pods",
    file: "decide.ts",
    find: "const podChanges: PodChanges = isBeingDeleted(job)",
    replace: "const podChanges: PodChanges = isBeingDeleted({ metadata: {} } as never)",
    seed: 30,
  },
  {
    mistake: "the failure policy is not applied to pods that run when the Job fails",
    file: "releases.ts",
    find: "failure ?? judgeFailure(spec.podFailurePolicy, pod)",
    replace: "failure ?? { isCounted: true }",
    seed: 73,
  },
  {
    mistake: "a pod that vanished with its finalizer is seen and counted again",
    file: "own-writes.ts",
    find: "pod?.metadata.uid === uid && hasTrackingFinalizer(pod)",
    replace: "false",
    seed: 94,
  },
  {
    mistake: "the controller does not wait until it sees what it wrote",
    file: "own-writes.ts",
    find: "if (!caches.pods.hasSeen(revisions.pods))",
    replace: "if (false)",
    seed: 2,
  },
];
