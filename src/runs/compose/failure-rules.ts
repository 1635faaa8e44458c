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
  readonly notices: readonly string[];
}

export const DEFAULT_RETRIES = 3;
/** Limits of Kubernetes: above this many indexes a limit on failed indexes is required. */
const MANY_INDEXES = 100_000;
const MAX_FAILED_OF_MANY = 10_000;
const MAX_FAILED = 100_000;
const BACKOFF = { base: "1s", cap: "60s" };

export function decideFailureRules(options: FailureOptions, items: number): FailureRules {
  const { timeoutSeconds } = options;
  const deadline = timeoutSeconds === undefined ? {} : { activeDeadlineSeconds: timeoutSeconds };
  if (restartsInPlace(options)) {
    return { spec: {}, restartPolicy: "OnFailure", ...deadline, annotations: {}, notices: [] };
  }
  const { retries = DEFAULT_RETRIES, halt, backoff = BACKOFF } = options;
  const limit = failureLimit(options, items);
  const rules = exitCodeRules(options);
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
    notices: limit.notices,
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

function restartsInPlace(options: FailureOptions): boolean {
  const { restart } = options;
  if (restart === undefined || restart === "Never") return false;
  if (restart === "Always") {
    throw new UsageError(
      "--restart=Always is not for work that ends: use Never, which is the default, or OnFailure",
    );
  }
  if (restart !== "OnFailure") {
    throw new UsageError(`--restart must be Never or OnFailure, not ${JSON.stringify(restart)}`);
  }
  for (const [option, flag] of OF_ATTEMPTS) {
    if (options[option] === undefined) continue;
    throw new UsageError(
      `--restart=OnFailure and ${flag} do not go together: a container that is restarted in ` +
        "place makes no new attempt; leave out one of them",
    );
  }
  return true;
}

interface FailureLimit {
  readonly count?: number;
  readonly notices: readonly string[];
}

function failureLimit({ maxFailed, halt }: FailureOptions, items: number): FailureLimit {
  const isMany = items > MANY_INDEXES;
  const most = isMany ? MAX_FAILED_OF_MANY : MAX_FAILED;
  if (maxFailed === undefined) {
    if (halt !== undefined) return { count: 0, notices: [] };
    if (!isMany) return { notices: [] };
    const notice =
      `${items} items: the run ends when more than ${MAX_FAILED_OF_MANY} of them have failed, ` +
      `as Kubernetes asks for above ${MANY_INDEXES}; --max-failed sets another limit`;
    return { count: MAX_FAILED_OF_MANY, notices: [notice] };
  }
  const count =
    "count" in maxFailed ? maxFailed.count : Math.floor((items * maxFailed.percent) / 100);
  // If all items may fail, there is no limit. Kubernetes accepts no larger one.
  if (!isMany && count >= items) return { notices: [] };
  if (count <= most) return { count, notices: [] };
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
