/** Pure: which action a podFailurePolicy takes for a pod. The first matching rule decides. */
import type { JobSpec, PodFailurePolicyRule } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";

/** The action of the rule; "Count" if none matches, which has the same effect. */
export function actionFor({ podFailurePolicy }: JobSpec, pod: Pod): string {
  const rule = podFailurePolicy?.rules?.find((each) => matches(each, pod));
  return rule?.action ?? "Count";
}

function matches({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): boolean {
  if (!onExitCodes) {
    return onPodConditions.some((wanted) =>
      pod.status.conditions?.some(
        ({ type, status }) => type === wanted.type && status === wanted.status,
      ),
    );
  }
  const { containerName, operator, values } = onExitCodes;
  const all = [
    ...(pod.status.containerStatuses ?? []),
    ...(pod.status.initContainerStatuses ?? []),
  ];
  return all.some(({ name, state }) => {
    const exitCode = state.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
    return (values ?? []).includes(exitCode) === (operator === "In");
  });
}
