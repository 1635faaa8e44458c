/** Pure: derives a node's conditions and taints from its heartbeats and its reported conditions. */
import { isEqual } from "../../api/equal.ts";
import type { Node, NodeCondition, Taint } from "../../api/generated/core.ts";
import { formatTime } from "../../api/time.ts";

/** A node without a heartbeat for this long gets conditions with status Unknown. */
export const SILENCE_MS = 50_000;

const UNREACHABLE = "node.kubernetes.io/unreachable";
const NOT_READY = "node.kubernetes.io/not-ready";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
const PRESSURES: { readonly [condition: string]: string } = {
  MemoryPressure: "node.kubernetes.io/memory-pressure",
  DiskPressure: "node.kubernetes.io/disk-pressure",
  PIDPressure: "node.kubernetes.io/pid-pressure",
  NetworkUnavailable: "node.kubernetes.io/network-unavailable",
};
const OWN = new Set([UNREACHABLE, NOT_READY, UNSCHEDULABLE, ...Object.values(PRESSURES)]);
const OBSERVED = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node that stopped sending heartbeats; undefined if they are already set. */
export function silentConditions(
  { status, metadata }: Node,
  nowMs: number,
): readonly NodeCondition[] | undefined {
  const now = formatTime(nowMs);
  const before = status.conditions ?? [];
  const observed = OBSERVED.map((type): NodeCondition => {
    const known = before.find((each) => each.type === type);
    if (known?.status === "Unknown") return known;
    const never = {
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: metadata.creationTimestamp ?? now,
    };
    const stopped = {
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    };
    return {
      ...(known ? { ...known, ...stopped } : never),
      type,
      status: "Unknown",
      lastTransitionTime: now,
    };
  });
  const others = before.filter(({ type }) => !OBSERVED.includes(type));
  const next = [...others, ...observed];
  return isEqual(before, next) ? undefined : next;
}

/**
 * The taints that a node should have; undefined if it already has them. Taints of others are kept.
 */
export function correctedTaints(
  { spec, status }: Node,
  nowMs: number,
): readonly Taint[] | undefined {
  const before = spec.taints ?? [];
  const isSame = (one: Taint, other: Taint) => one.key === other.key && one.effect === other.effect;
  const wanted = wantedTaints(spec, status.conditions ?? []);
  const kept = before.filter(
    (taint) => !OWN.has(taint.key) || wanted.some((each) => isSame(each, taint)),
  );
  const added = wanted
    .filter((taint) => !before.some((each) => isSame(each, taint)))
    .map((taint) =>
      taint.effect === "NoExecute" ? { ...taint, timeAdded: formatTime(nowMs) } : taint,
    );
  return kept.length === before.length && added.length === 0 ? undefined : [...kept, ...added];
}

function wantedTaints(spec: Node["spec"], conditions: readonly NodeCondition[]): readonly Taint[] {
  const isTrue = (type: string) => conditions.find((each) => each.type === type)?.status === "True";
  const ready = conditions.find(({ type }) => type === "Ready")?.status;
  const sick = ready === "True" ? undefined : ready === "Unknown" ? UNREACHABLE : NOT_READY;
  const pressures = Object.entries(PRESSURES).filter(([condition]) => isTrue(condition));
  return [
    ...(sick
      ? [
          { key: sick, effect: "NoSchedule" },
          { key: sick, effect: "NoExecute" },
        ]
      : []),
    ...pressures.map(([, key]) => ({ key, effect: "NoSchedule" })),
    ...(spec.unschedulable ? [{ key: UNSCHEDULABLE, effect: "NoSchedule" }] : []),
  ];
}

export function isReady({ status }: Node): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}
