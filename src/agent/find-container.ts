/** Pure: a container of a pod by its name, whichever list it is in. */
import type { Container, Pod } from "../api/generated/core.ts";

export function findContainer({ spec }: Pod, name: string): Container | undefined {
  const { containers, initContainers } = spec;
  return (
    containers?.find((each) => each.name === name) ??
    initContainers?.find((each) => each.name === name)
  );
}
