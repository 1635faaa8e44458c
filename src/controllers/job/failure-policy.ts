/** Pure: applies a Job's podFailurePolicy to a failed pod. The first matching rule decides. */
import { isRerunAfterUnknownExit } from "../../api/exit-unknown.ts";
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../api/generated/batch.ts";
import type { ContainerStatus, Pod } from "../../api/generated/core.ts";

export type FailureAction = "FailJob" | "FailIndex" | "Ignore" | "Count";

export interface Failure {
  /** The action of the rule that matched. */
  readonly action?: FailureAction;
  /** Whether it counts against the limits. Only ignored failures do not. */
  readonly isCounted: boolean;
  /** Why the whole Job fails, if the action is FailJob. */
  readonly message?: string;
}

const UNMATCHED: Failure = { isCounted: true };

export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): Failure {
  if (isRerunAfterUnknownExit(pod)) return { action: "Ignore", isCounted: false };
  for (const [at, rule] of (policy?.rules ?? []).entries()) {
    const cause = findCause(rule, pod);
    const action = actionOf(rule);
    if (cause === undefined || action === undefined) continue;
    if (action === "Ignore") return { action, isCounted: false };
    if (action !== "FailJob") return { action, isCounted: true };
    return { action, isCounted: true, message: `${cause} matching FailJob rule at index ${at}` };
  }
  return UNMATCHED;
}

function actionOf({ action }: PodFailurePolicyRule): FailureAction | undefined {
  switch (action) {
    case "FailJob":
    case "FailIndex":
    case "Ignore":
    case "Count":
      return action;
    default:
      return undefined;
  }
}

/** Returns why the rule matches, in the wording of the Job condition. */
function findCause({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod) {
  const where = `${pod.metadata.namespace}/${pod.metadata.name}`;
  if (onExitCodes) {
    const container = findExited(pod, onExitCodes);
    if (!container) return undefined;
    const exitCode = container.state.terminated?.exitCode;
    return `Container ${container.name} for pod ${where} failed with exit code ${exitCode}`;
  }
  const condition = pod.status.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return condition && `Pod ${where} has condition ${condition.type}`;
}

function findExited(
  { status }: Pod,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  const isMatch = ({ name, state }: ContainerStatus): boolean => {
    const exitCode = state.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0) return false;
    if (containerName !== undefined && containerName !== name) return false;
    const isListed = values?.includes(exitCode) ?? false;
    return operator === "In" ? isListed : operator === "NotIn" && !isListed;
  };
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  return containerStatuses.find(isMatch) ?? initContainerStatuses.find(isMatch);
}
