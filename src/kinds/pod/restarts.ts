/** Pure: whether a container that ended is restarted. */
import type { Container, ContainerRestartRule, PodSpec } from "../../api/generated/core.ts";
import { visitContainers } from "./visit-containers.ts";

/**
 * The rules of the container come first, then its own policy, then that of the pod. The same order
 * applies to init containers: one that always restarts is a sidecar.
 */
export function mayRestart(
  spec: PodSpec,
  container: Container | undefined,
  exitCode: number,
): boolean {
  if (restartsTogether(spec)) return true;
  const rule = (container?.restartPolicyRules ?? []).find((each) => applies(each, exitCode));
  if (rule !== undefined) return rule.action === "Restart";
  const policy = container?.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** The exit of one container can restart all of them, regardless of their exit codes. */
function restartsTogether(spec: PodSpec): boolean {
  return visitContainers(spec, "").some(({ container }) =>
    (container.restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers"),
  );
}

function applies({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  const isListed = (exitCodes?.values ?? []).includes(exitCode);
  if (exitCodes?.operator === "In") return isListed;
  return exitCodes?.operator === "NotIn" && !isListed;
}
