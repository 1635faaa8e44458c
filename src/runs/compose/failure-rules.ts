/**
 * Pure: how failures are handled. By default each attempt is a pod of its own and each item has its
 * own number of attempts, so that one bad item does not affect the others.
 */
import type { JobSpec, PodFailurePolicyRule } from "../../api/generated/batch.ts";
import { BACKOFF_BASE, BACKOFF_CAP, CONTAINER, HALT } from "../../api/work-list/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Annotations, FailureOptions } from "./run-request.ts";

export interface FailureRules {
  readonly spec: Partial<JobSpec>;
  readonly restartPolicy: "Never" | "OnFailure";
  /** The timeout of each attempt. */
  readonly activeDeadlineSeconds?: number;
  readonly annotations: Annotations;
  readonly said: readonly string[];
}

export const DEFAULT_RETRIES = 3;
/** Limits of Kubernetes: above this many indexes a limit on failed indexes is required. */
const MANY_INDEXES = 100_000;
const MAX_FAILED_OF_MANY = 10_000;
const MAX_FAILED = 100_000;
const BACKOFF = { base: "1s", cap: "60s" };

export function decideFailureRules(wishes: FailureOptions, items: number): FailureRules {
  const { timeoutSeconds } = wishes;
  const deadline = timeoutSeconds === undefined ? {} : { activeDeadlineSeconds: timeoutSeconds };
  if (restartsInPlace(wishes)) {
    return { spec: {}, restartPolicy: "OnFailure", ...deadline, annotations: {}, said: [] };
  }
  const { retries = DEFAULT_RETRIES, halt, backoff = BACKOFF } = wishes;
  const limit = failureLimit(wishes, items);
  const rules = exitCodeRules(wishes);
  return {
    spec: {
      backoffLimitPerIndex: retries,
      ...(limit.count === undefined ? {} : { maxFailedIndexes: limit.count }),
      // The next attempt starts only after the previous one has ended.
      podReplacementPolicy: "Failed",
      ...(rules.length > 0 ? { podFailurePolicy: { rules } } : {}),
    },
    restartPolicy: "Never",
    ...deadline,
    annotations: {
      [BACKOFF_BASE]: backoff.base,
      [BACKOFF_CAP]: backoff.cap ?? BACKOFF.cap,
      ...(halt === "soon" ? { [HALT]: halt } : {}),
    },
    said: limit.said,
  };
}

/** Flags that need a new pod for each attempt. */
const OF_ATTEMPTS = [
  ["retries", "--retries"],
  ["retryOn", "--retry-on"],
  ["failOn", "--fail-on"],
  ["maxFailed", "--max-failed"],
  ["backoff", "--backoff"],
  ["halt", "--halt"],
] as const;

function restartsInPlace(wishes: FailureOptions): boolean {
  const { restart } = wishes;
  if (restart === undefined || restart === "Never") return false;
  if (restart === "Always") {
    throw new UsageError(
      "--restart=Always is not for work that ends: use Never, which is the default, or OnFailure",
    );
  }
  if (restart !== "OnFailure") {
    throw new UsageError(`--restart must be Never or OnFailure, not ${JSON.stringify(restart)}`);
  }
  for (const [wish, flag] of OF_ATTEMPTS) {
    if (wishes[wish] === undefined) continue;
    throw new UsageError(
      `--restart=OnFailure and ${flag} do not go together: a container that is restarted in ` +
        "place makes no new attempt; leave out one of them",
    );
  }
  return true;
}

interface FailureLimit {
  readonly count?: number;
  readonly said: readonly string[];
}

function failureLimit({ maxFailed, halt }: FailureOptions, items: number): FailureLimit {
  const isMany = items > MANY_INDEXES;
  const most = isMany ? MAX_FAILED_OF_MANY : MAX_FAILED;
  if (maxFailed === undefined) {
    if (halt !== undefined) return { count: 0, said: [] };
    if (!isMany) return { said: [] };
    const said =
      `${items} items: the run ends when more than ${MAX_FAILED_OF_MANY} of them have failed, ` +
      `as Kubernetes asks for above ${MANY_INDEXES}; --max-failed sets another limit`;
    return { count: MAX_FAILED_OF_MANY, said: [said] };
  }
  const count =
    "count" in maxFailed ? maxFailed.count : Math.floor((items * maxFailed.percent) / 100);
  // If all items may fail, there is no limit. Kubernetes accepts no larger one.
  if (!isMany && count >= items) return { said: [] };
  if (count <= most) return { count, said: [] };
  const typed = "count" in maxFailed ? `${count}` : `${maxFailed.percent}%, which is ${count},`;
  throw new UsageError(
    `--max-failed ${typed} is too many: of ${items} items at most ${most} can be allowed to fail`,
  );
}

function exitCodeRules({ retryOn, failOn }: FailureOptions): readonly PodFailurePolicyRule[] {
  if (!retryOn && !failOn) return [];
  const both = retryOn?.find((code) => failOn?.includes(code));
  if (both !== undefined) {
    throw new UsageError(`--retry-on and --fail-on both name exit code ${both}`);
  }
  const failIndex = (operator: string, values: readonly number[]): PodFailurePolicyRule => ({
    action: "FailIndex",
    onExitCodes: { containerName: CONTAINER, operator, values: ascending(values) },
  });
  return [
    // A disruption is not a failure of the item, and does not count as an attempt.
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    ...(failOn ? [failIndex("In", failOn)] : []),
    ...(retryOn ? [failIndex("NotIn", retryOn)] : []),
  ];
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}
