/** Pure: the containers of a pod that become processes. */
import type { Container, PodSpec } from "../../../api/generated/core.ts";

/** In the order in which they start; ephemeral ones are none of them. */
export function containersOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  return initContainers.length === 0
    ? (containers ?? [])
    : [...initContainers, ...(containers ?? [])];
}

export function inContainer({ name }: Container, phrase: string): string {
  return `container ${JSON.stringify(name)}: ${phrase}`;
}
