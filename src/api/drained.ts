/**
 * Pure: how nodes report that a Job has no process left. A Job that starts no more pods but has
 * pods created ahead is drained when each of its nodes has reported so for the current spec. Only
 * the node knows whether a pod has started its process.
 */
import type { Job } from "./generated/batch.ts";

/** On a Job: "NODE=GENERATION,…", written by the nodes. */
export const DRAINED = "tallyjob.io/drained";

/** The nodes that have nothing left of the Job with its current spec. */
export function drainedNodes({ metadata }: Job): ReadonlySet<string> {
  const current = entriesOf(metadata.annotations?.[DRAINED], metadata.generation);
  return new Set(current.map(([node]) => node));
}

/** The annotation with the node added. Entries for an earlier spec are dropped. */
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
