/** From a container of a pod to the run its runtime is asked for, or what is in the way. */
import type { ConfigMap, Container, Pod, Secret, Service } from "../api/generated/core.ts";
import { errorFile, hasSplitOutput, messageFile } from "../api/log-files.ts";
import { getQuantity, milliUnits, wholeUnits } from "../api/quantity.ts";
import { composeCommand, composeParts } from "./environment/command.ts";
import { composeEnvironment } from "./environment/environment.ts";
import type { ApiServerAddress } from "./environment/service-variables.ts";
import type { ContainerProblem, Variables } from "./environment/variable.ts";
import { findContainer } from "./find-container.ts";
import type { FoundInherited, Inherited } from "./run-environments.ts";
import type { EngineRun } from "./runtimes/engine/engine-run.ts";
import type { ProcessSettings, RunId, RunRequest } from "./runtimes/runtime.ts";
import type { ComposedSandbox } from "./runtimes/sandbox/compose-sandbox.ts";
import type { ComposedMounts } from "./volumes/mounts.ts";

/** What a run is made of besides its pod. */
export interface Surroundings {
  readonly node: {
    readonly name: string;
    readonly hostIp: string;
    readonly allocatable: { readonly [resource: string]: string };
  };
  readonly podIp: (pod: Pod) => string;
  /** What the processes of a pod have without asking for it, or what is in the way. */
  readonly inherited: (pod: Pod) => FoundInherited;
  readonly configMap: (namespace: string, name: string) => ConfigMap | undefined;
  readonly secret: (namespace: string, name: string) => Secret | undefined;
  readonly services: (namespace: string) => readonly Service[];
  /** Of volumes that are there; undefined where a container mounts none. */
  readonly mounts?: (
    pod: Pod,
    container: Container,
    variables: Variables,
  ) => ComposedMounts | undefined;
  readonly accountDirectory?: (pod: Pod) => string | undefined;
  /** Undefined for a process of the host. */
  readonly sandbox?: (pod: Pod, container: Container) => ComposedSandbox | undefined;
  /** Of a pod whose containers are an engine's. */
  readonly engine?: (pod: Pod, container: Container, variables: Variables) => EngineRun | undefined;
  /** Whether its image says what a container has of its own: nothing is inherited then. */
  readonly usesImages?: (pod: Pod) => boolean;
  /** Undefined: at the address of its Service. */
  readonly apiServer?: (pod: Pod) => ApiServerAddress | undefined;
  /** Where the output goes; there is room for it. */
  readonly logFile: (pod: Pod, id: RunId) => string;
}

export type ComposedRun = RunRequest | { readonly problem: ContainerProblem };

export function composeRun(around: Surroundings, pod: Pod, id: RunId): ComposedRun {
  const container = findContainer(pod, id.container);
  if (!container) throw new Error(`the pod has no container ${id.container}`);
  const composed = composeSurroundings(around, pod, container);
  if ("problem" in composed) return composed;
  const { environment, workingDirectory, settings } = composed;
  const engine = around.engine?.(pod, container, composed.variables);
  const run = engine
    ? composeParts(container, composed.variables)
    : composeCommand(container, composed.variables);
  if ("problem" in run) return run;
  const mounted = around.mounts?.(pod, container, composed.variables);
  if (mounted !== undefined && "problem" in mounted) return mounted;
  const accountDirectory = around.accountDirectory?.(pod);
  const sandbox = around.sandbox?.(pod, container);
  if (sandbox !== undefined && "problem" in sandbox) return sandbox;
  const { resources } = container;
  const { cpu, memory } = resources.limits ?? {};
  const limits = {
    ...(cpu === undefined ? {} : { cpuMillis: Number(milliUnits(getQuantity(cpu))) }),
    ...(memory === undefined ? {} : { memoryBytes: Number(wholeUnits(getQuantity(memory))) }),
  };
  const logFile = around.logFile(pod, id);
  return {
    id,
    command: run.command,
    environment,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    logFile,
    ...(hasSplitOutput(pod) ? { errorFile: errorFile(logFile) } : {}),
    messageFile: messageFile(logFile),
    ...(resources.limits === undefined ? {} : { limits }),
    ...(settings === undefined || sandbox !== undefined ? {} : { settings }),
    ...(container.stdin || container.tty ? { input: inputOf(container) } : {}),
    ...(mounted === undefined ? {} : { mounts: mounted.mounts }),
    ...(accountDirectory === undefined ? {} : { accountDirectory }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(engine === undefined ? {} : { engine }),
  };
}

function inputOf({ stdin = false, stdinOnce = false, tty = false }: Container) {
  return { stdin, tty, isOnce: stdinOnce };
}

export type ComposedSurroundings =
  | {
      readonly environment: RunRequest["environment"];
      readonly variables: Variables;
      readonly workingDirectory?: string;
      readonly settings?: ProcessSettings;
    }
  | { readonly problem: ContainerProblem };

/** What a process of a container has around it, be it the container's own or that of a hook. */
export function composeSurroundings(
  around: Surroundings,
  pod: Pod,
  container: Container,
): ComposedSurroundings {
  const { namespace = "" } = pod.metadata;
  const apiServer = around.apiServer?.(pod);
  const inherited = around.usesImages?.(pod) ? NOTHING : around.inherited(pod);
  if ("problem" in inherited) return inherited;
  const composed = composeEnvironment({
    pod,
    container,
    node: around.node,
    podIp: around.podIp(pod),
    configMaps: (name) => around.configMap(namespace, name),
    secrets: (name) => around.secret(namespace, name),
    services: around.services(namespace),
    inherited: inherited.variables,
    ...(apiServer === undefined ? {} : { apiServer }),
  });
  if ("problem" in composed) return composed;
  const { workingDir: workingDirectory = inherited.workingDirectory } = container;
  const { settings } = inherited;
  return {
    ...composed,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...(settings === undefined ? {} : { settings }),
  };
}

const NOTHING: Inherited = { variables: [] };
