/** Pure: a container of a pod by its name, whichever list it is in. */
import type { Container, Pod } from "../api/generated/core.ts";

export function findContainer({ spec }: Pod, name: string): Container | undefined {
  const { containers, initContainers, ephemeralContainers } = spec;
  return (
    containers?.find((each) => each.name === name) ??
    initContainers?.find((each) => each.name === name) ??
    ephemeralContainers?.find((each) => each.name === name)
  );
}

/** As kubelet names one container of a pod. */
export function fieldPathOf({ spec }: Pod, container: string | undefined): string | undefined {
  if (container === undefined) return undefined;
  const isNamed = ({ name }: { readonly name: string }) => name === container;
  const list = spec.initContainers?.some(isNamed)
    ? "initContainers"
    : spec.ephemeralContainers?.some(isNamed)
      ? "ephemeralContainers"
      : "containers";
  return `spec.${list}{${container}}`;
}
