/** What the containers of an agent's pods have around them, from its caches and its measures. */
import type { Container, Pod } from "../api/generated/core.ts";
import type { TellOfPod } from "./admit.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { Caches } from "./caches.ts";
import type { Surroundings } from "./compose-run.ts";
import { composeParts } from "./environment/command.ts";
import type { Variables } from "./environment/variable.ts";
import type { EngineRun } from "./runtimes/engine/engine-run.ts";
import type { Notice } from "./runtimes/process/refusals.ts";
import type { PodVolumes } from "./volumes/pod-volumes.ts";

export interface SurroundingParts {
  readonly options: AgentOptions;
  readonly caches: Caches;
  readonly volumes: () => PodVolumes | undefined;
  readonly findAddress: (pod: Pod) => string | undefined;
  readonly inherited: Surroundings["inherited"];
  readonly tell: TellOfPod;
}

export function surroundingsOf(parts: SurroundingParts): Surroundings {
  const { options, caches, volumes, findAddress, inherited } = parts;
  const { node, logs, apiServer, places } = options;
  const { configMaps, secrets, services } = caches;
  return {
    node,
    podIp: (pod) => findAddress(pod) ?? node.hostIp,
    inherited,
    logFile: (pod, id) => logs.begin(pod, id),
    ...(apiServer === undefined ? {} : { apiServer }),
    mounts: (...wanted) => volumes()?.mountsOf(...wanted),
    accountDirectory: (pod) => volumes()?.accountDirectoryOf(pod),
    sandbox: (pod, container) => places?.sandboxOf(pod, container),
    engine: (pod, container, variables) => engineOf(parts, pod, container, variables),
    usesImages: (pod) => places?.isContainer(pod) ?? false,
    configMap: (namespace, name) => configMaps.get(namespace, name),
    secret: (namespace, name) => secrets.get(namespace, name),
    services: (namespace) =>
      namespace === "default"
        ? services.list("default")
        : [...services.list("default"), ...services.list(namespace)],
  };
}

function engineOf(
  { options, caches, tell }: SurroundingParts,
  pod: Pod,
  container: Container,
  variables: Variables,
): EngineRun | undefined {
  const { places } = options;
  if (!places?.isContainer(pod)) return undefined;
  const { namespace = "" } = pod.metadata;
  const names = (pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
  const find = (name: string) => caches.secrets.get(namespace, name);
  const missing = names.filter((name) => find(name) === undefined);
  if (missing.length > 0) tell(pod, "Warning", secretsMissing(missing));
  return places.engineOf(pod, container, {
    args: composeParts(container, variables).args,
    pullSecrets: names.flatMap((name) => find(name) ?? []),
    tell: (type, reason, message) =>
      tell(pod, type, { reason, message, container: container.name }),
  });
}

/** In kubelet's words. */
function secretsMissing(names: readonly string[]): Notice {
  const problem = `Unable to retrieve some image pull secrets (${names.join(", ")})`;
  const message = `${problem}; attempting to pull the image may not succeed.`;
  return { reason: "FailedToRetrieveImagePullSecret", message };
}
