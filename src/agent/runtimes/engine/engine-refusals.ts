/** Pure: what an engine's containers cannot honour in a pod; most of what pods ask for they can. */
import type { Container, Pod, PodSpec } from "../../../api/generated/core.ts";
import { containersOf, inContainer } from "../process/containers.ts";
import { type Admission, type Notice, OTHER_SYSTEM } from "../process/refusals.ts";
import { confinementRefusals } from "../sandbox/sandbox-refusals.ts";

export function admitToEngine({ spec }: Pod, engine: string): Admission {
  if (spec.os?.name === "windows") return { refusal: OTHER_SYSTEM, warnings: [] };
  const problems = [
    ...podRefusals(spec),
    ...containersOf(spec).flatMap((container) =>
      containerRefusals(container).map((problem) => inContainer(container, problem)),
    ),
  ];
  if (problems.length === 0) return { warnings: [] };
  const message = `${engine} cannot honour ${[...new Set(problems)].join("; ")}`;
  return { refusal: refusal(message), warnings: [] };
}

/** For a pod that names an engine which is not there. */
export function engineMissing(engine: string): Admission {
  const how = "start one (dockerd, or podman system service) and then this server again";
  const message = `no container engine ${JSON.stringify(engine)} answers on this machine: ${how}`;
  return { refusal: refusal(message), warnings: [] };
}

function refusal(message: string): Notice {
  return { reason: "NotSupportedByRuntime", message };
}

function podRefusals(spec: PodSpec): string[] {
  const problems: string[] = [];
  if (spec.hostUsers === false) problems.push("hostUsers false (users are those of the engine)");
  if (spec.resourceClaims?.length) problems.push("resourceClaims (no devices are allocated)");
  return [...problems, ...confinementRefusals(spec.securityContext ?? {})];
}

function containerRefusals(container: Container): string[] {
  const { volumeDevices = [], env = [], securityContext = {} } = container;
  const problems: string[] = [];
  for (const { name, devicePath } of volumeDevices) {
    problems.push(`volumeDevices ${name} at ${devicePath} (no block device is attached)`);
  }
  for (const { name, valueFrom } of env) {
    if (valueFrom?.fileKeyRef) problems.push(`variable ${name} from a file (it is not read)`);
  }
  if (securityContext.procMount === "Unmasked") problems.push("procMount Unmasked (it is masked)");
  return [...problems, ...confinementRefusals(securityContext)];
}
