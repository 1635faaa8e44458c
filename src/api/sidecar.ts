/** Pure: init containers that keep running beside the others, and end after them. */
import type { Container } from "./generated/core.ts";

export function isSidecar({ restartPolicy }: Pick<Container, "restartPolicy">): boolean {
  return restartPolicy === "Always";
}
