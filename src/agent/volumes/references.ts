/** Pure: which volumes a pod really has, and which objects they are made of. */
import type { Pod, Volume, VolumeProjection } from "../../api/generated/core.ts";

/** What no container mounts is not prepared, as kubelet has it. */
export function mountedVolumes({ spec }: Pod): readonly Volume[] {
  const { volumes = [], containers, initContainers } = spec;
  if (volumes.length === 0) return NONE;
  const names = new Set<string>();
  for (const { volumeMounts = [] } of [...(initContainers ?? []), ...(containers ?? [])]) {
    for (const { name } of volumeMounts) names.add(name);
  }
  return names.size === 0 ? NONE : volumes.filter(({ name }) => names.has(name));
}

const NONE: readonly Volume[] = [];

export type ReferredKind = "configMap" | "secret" | "claim";

/** "configMap/NAMESPACE/NAME" */
export function referenceKey(kind: ReferredKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

export function referencesOf(pod: Pod, volume: Volume): readonly string[] {
  const { namespace = "" } = pod.metadata;
  const { configMap, secret, projected } = volume;
  const claim = claimNameOf(pod, volume);
  if (claim !== undefined) return [referenceKey("claim", namespace, claim)];
  const sources: readonly VolumeProjection[] = [
    ...(configMap ? [{ configMap }] : []),
    ...(secret ? [{ secret: { name: secret.secretName ?? "" } }] : []),
    ...(projected?.sources ?? []),
  ];
  return sources.flatMap((source) => [
    ...(source.configMap
      ? [referenceKey("configMap", namespace, source.configMap.name ?? "")]
      : []),
    ...(source.secret ? [referenceKey("secret", namespace, source.secret.name ?? "")] : []),
  ]);
}

/** That of an ephemeral volume is named after the pod. */
export function claimNameOf({ metadata }: Pod, volume: Volume): string | undefined {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  return ephemeral ? `${metadata.name}-${name}` : persistentVolumeClaim?.claimName;
}

/** Whether what it shows follows the labels and annotations of the pod. */
export function followsPod({ downwardAPI, projected }: Volume): boolean {
  return (
    downwardAPI !== undefined ||
    (projected?.sources ?? []).some((source) => source.downwardAPI !== undefined)
  );
}
