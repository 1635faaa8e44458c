/** From a container of a pod to the run its runtime is asked for, or what is in the way. */
import type { ConfigMap, Pod, Secret, Service } from "../api/generated/core.ts";
import { getQuantity, milliUnits, wholeUnits } from "../api/quantity.ts";
import { composeCommand } from "./environment/command.ts";
import { composeEnvironment } from "./environment/environment.ts";
import type { ContainerProblem, Variable } from "./environment/variable.ts";
import { findContainer } from "./find-container.ts";
import type { RunId, RunRequest } from "./runtimes/runtime.ts";

/** What a run is made of besides its pod. */
export interface Surroundings {
  readonly node: {
    readonly name: string;
    readonly hostIp: string;
    readonly allocatable: { readonly [resource: string]: string };
  };
  readonly podIp: string;
  readonly inherited: readonly Variable[];
  readonly configMap: (namespace: string, name: string) => ConfigMap | undefined;
  readonly secret: (namespace: string, name: string) => Secret | undefined;
  readonly services: (namespace: string) => readonly Service[];
  /** Where the output goes; there is room for it. */
  readonly logFile: (pod: Pod, id: RunId) => string;
}

export type ComposedRun = RunRequest | { readonly problem: ContainerProblem };

export function composeRun(around: Surroundings, pod: Pod, id: RunId): ComposedRun {
  const { namespace = "" } = pod.metadata;
  const container = findContainer(pod, id.container);
  if (!container) throw new Error(`the pod has no container ${id.container}`);
  const composed = composeEnvironment({
    pod,
    container,
    node: around.node,
    podIp: around.podIp,
    configMaps: (name) => around.configMap(namespace, name),
    secrets: (name) => around.secret(namespace, name),
    services: around.services(namespace),
    inherited: around.inherited,
  });
  if ("problem" in composed) return composed;
  const run = composeCommand(container, composed.variables);
  if ("problem" in run) return run;
  const { workingDir, resources } = container;
  const { cpu, memory } = resources.limits ?? {};
  const limits = {
    ...(cpu === undefined ? {} : { cpuMillis: Number(milliUnits(getQuantity(cpu))) }),
    ...(memory === undefined ? {} : { memoryBytes: Number(wholeUnits(getQuantity(memory))) }),
  };
  return {
    id,
    command: run.command,
    environment: composed.environment,
    ...(workingDir === undefined ? {} : { workingDirectory: workingDir }),
    logFile: around.logFile(pod, id),
    ...(resources.limits === undefined ? {} : { limits }),
  };
}
