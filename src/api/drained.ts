/**
 * Pure: how nodes state that a Job has no process left. A Job that is to start no more pods and has
 * pods made ahead is drained when each of its nodes has said so for the Job's current spec: pods
 * that are there may have begun or not, and only their node knows.
 */
import type { Job } from "./generated/batch.ts";

/** On a Job: "NODE=GENERATION,…", written by the nodes. */
export const DRAINED = "tallyjob.io/drained";

/** The nodes that have nothing left of the Job as it is now. */
export function drainedNodes({ metadata }: Job): ReadonlySet<string> {
  const current = entriesOf(metadata.annotations?.[DRAINED], metadata.generation);
  return new Set(current.map(([node]) => node));
}

/** The annotation with the node added; what was said of an earlier spec is dropped. */
export function withDrainedNode({ metadata }: Job, node: string): string {
  const current = entriesOf(metadata.annotations?.[DRAINED], metadata.generation);
  const others = current.filter(([name]) => name !== node);
  const own = [node, String(metadata.generation ?? 0)] as const;
  return [...others, own].map((entry) => entry.join("=")).join(",");
}

function entriesOf(
  text: string | undefined,
  generation: number | undefined,
): readonly (readonly [node: string, generation: string])[] {
  return (text ?? "").split(",").flatMap((entry) => {
    const [node = "", said = ""] = entry.split("=");
    return node !== "" && said === String(generation ?? 0) ? [[node, said] as const] : [];
  });
}
