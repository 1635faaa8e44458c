/** Pure: all containers of a pod, in the order in which Kubernetes visits them. */
import type { Container, EphemeralContainerCommon, PodSpec } from "../../api/generated/core.ts";

export interface VisitedContainer {
  readonly container: Container | EphemeralContainerCommon;
  readonly path: string;
}

/** Init containers come first, because they run first. */
export function visitContainers(spec: PodSpec, path: string): VisitedContainer[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, at) => ({ container, path: `${path}.${list}[${at}]` })),
  );
}

/** The names of a pod's containers, for rules of pods that refer to them. */
export function containerNamesOf(spec: PodSpec): ReadonlySet<string> {
  return new Set(visitContainers(spec, "").map(({ container }) => container.name));
}
