/** Pure: whether a container that ended runs again. */
import type { Container, ContainerRestartRule, PodSpec } from "../../api/generated/core.ts";
import { visitContainers } from "./visit-containers.ts";

/**
 * Rules of the container come first, then its own policy, then that of the pod. An init container
 * follows the same order: one that restarts always is a sidecar.
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

/** One container's exit can restart all of them, whatever they ended with. */
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
