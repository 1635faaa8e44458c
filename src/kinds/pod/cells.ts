/** Pure: a pod as a table row. */
import type { Pod } from "../../api/generated/core.ts";
import { age } from "../../api/print/age.ts";
import type { Cell, RowCondition } from "../kind.ts";
import { podSummary } from "./summary.ts";

const NONE = "<none>";

export function podCells(pod: Pod, now: Date): Cell[] {
  const { metadata, spec, status } = pod;
  const { ready, total, reason, restarts, lastRestart } = podSummary(pod);
  return [
    metadata.name ?? "",
    `${ready}/${total}`,
    reason,
    restarts > 0 && lastRestart !== undefined
      ? `${restarts} (${age(lastRestart, now)} ago)`
      : String(restarts),
    age(metadata.creationTimestamp, now),
    status.podIPs?.[0]?.ip || NONE,
    spec.nodeName || NONE,
    status.nominatedNodeName || NONE,
    readinessGates(pod),
  ];
}

/** The conditions of a row for a pod that has ended. */
export function podRowConditions({ status }: Pod): RowCondition[] {
  const { phase } = status;
  if (phase !== "Succeeded" && phase !== "Failed") return [];
  const message = phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  return [{ type: "Completed", status: "True", reason: phase, message }];
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const open = gates.filter(({ conditionType }) => {
    const condition = (status.conditions ?? []).find(({ type }) => type === conditionType);
    return condition?.status === "True";
  });
  return `${open.length}/${gates.length}`;
}
