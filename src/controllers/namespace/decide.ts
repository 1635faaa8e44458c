/** Pure: decides the next step in deleting a namespace, given what is left in it. */
import type { Namespace } from "../../api/generated/core.ts";
import { formatTime } from "../../api/time.ts";
import { composeConditions } from "./conditions.ts";
import type { Remains } from "./remains.ts";

/** In spec.finalizers: objects may still exist in the namespace. */
const FINALIZER = "kubernetes";

export interface NamespaceObservation {
  readonly namespace: Namespace;
  readonly remains: readonly Remains[];
  readonly nowMs: number;
}

export interface NamespaceDecision {
  /** Absent if the status is already up to date. */
  readonly status?: Namespace["status"];
  readonly next:
    | { readonly kind: "finalize"; readonly finalizers: readonly string[] }
    | { readonly kind: "wait"; readonly delayMs: number }
    /** Pods exceeded their grace period, so the remaining time is unknown. */
    | { readonly kind: "remain"; readonly problem: string }
    | { readonly kind: "fail"; readonly problem: string };
}

export function decide({ namespace, remains, nowMs }: NamespaceObservation): NamespaceDecision {
  const old = namespace.status.conditions ?? [];
  const conditions = composeConditions(old, remains, formatTime(nowMs));
  const next = decideNext(namespace, remains);
  if (conditions === old) return { next };
  return { status: { ...namespace.status, phase: "Terminating", conditions }, next };
}

export function isToBeEmptied({ metadata, spec }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined && (spec.finalizers?.length ?? 0) > 0;
}

function decideNext({ spec }: Namespace, remains: readonly Remains[]): NamespaceDecision["next"] {
  const failed = remains.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) {
    const kind = failed.every(({ count }) => count > 0) ? "remain" : "fail";
    return { kind, problem: failed.map(({ failure }) => failure).join(", ") };
  }
  const estimateSeconds = Math.max(0, ...remains.map((each) => each.estimateSeconds));
  if (estimateSeconds > 0) {
    return { kind: "wait", delayMs: (Math.floor(estimateSeconds / 2) + 1) * 1000 };
  }
  const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  return { kind: "finalize", finalizers: [...new Set(finalizers)].sort() };
}
