/**
 * Pure: values as Kubernetes prints them in messages: the JSON of its internal types, with Go's
 * field names and all fields present.
 */
import type {
  PodFailurePolicy,
  SuccessPolicy,
  UncountedTerminatedPods,
} from "../../api/generated/batch.ts";

export function podFailurePolicyDump(policy: PodFailurePolicy | undefined): unknown {
  if (policy === undefined) return null;
  const rules = policy.rules?.map(({ action, onExitCodes, onPodConditions }) => ({
    Action: action,
    OnExitCodes: onExitCodes
      ? {
          ContainerName: onExitCodes.containerName ?? null,
          Operator: onExitCodes.operator,
          Values: onExitCodes.values ?? [],
        }
      : null,
    OnPodConditions:
      onPodConditions?.map(({ type, status }) => ({ Type: type, Status: status })) ?? null,
  }));
  return { Rules: rules ?? [] };
}

export function successPolicyDump(policy: SuccessPolicy | undefined): unknown {
  if (policy === undefined) return null;
  const rules = policy.rules?.map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: rules ?? [] };
}

export function uncountedPodsDump(pods: UncountedTerminatedPods): unknown {
  return { Succeeded: pods.succeeded ?? null, Failed: pods.failed ?? null };
}
