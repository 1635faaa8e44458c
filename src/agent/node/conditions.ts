/** Pure: how a node says it is, in the words of Kubernetes' own agent. */
import type { NodeCondition } from "../../api/generated/core.ts";
import { formatTime } from "../../api/time.ts";
import type { HostFacts } from "./host-facts.ts";

/** Below this much nobody should count on the machine: Kubernetes' threshold. */
const LOW_MEMORY_BYTES = 100 * 1024 * 1024;
/**
 * Kubernetes worries when a tenth of the disk is left; of the disk of a laptop that is a lot, and
 * usual.
 */
const LOW_STORAGE_BYTES = 1024 * 1024 * 1024;

export type Readiness = "ready" | "shutting down";

type State = Pick<NodeCondition, "type" | "status" | "reason" | "message">;

/** Conditions that others keep on the node stay where they are. */
export function composeConditions(
  old: readonly NodeCondition[],
  facts: HostFacts,
  readiness: Readiness,
  nowMs: number,
): NodeCondition[] {
  const now = formatTime(nowMs);
  const own = statesOf(facts, readiness).map((state): NodeCondition => {
    const before = old.find(({ type }) => type === state.type);
    const isSame = before?.status === state.status;
    const since = isSame ? (before.lastTransitionTime ?? now) : now;
    return { ...state, lastHeartbeatTime: now, lastTransitionTime: since };
  });
  const others = old.filter(({ type }) => !own.some((each) => each.type === type));
  return [...others, ...own];
}

function statesOf(facts: HostFacts, readiness: Readiness): State[] {
  return [
    facts.availableMemoryBytes < LOW_MEMORY_BYTES
      ? {
          type: "MemoryPressure",
          status: "True",
          reason: "KubeletHasInsufficientMemory",
          message: "kubelet has insufficient memory available",
        }
      : {
          type: "MemoryPressure",
          status: "False",
          reason: "KubeletHasSufficientMemory",
          message: "kubelet has sufficient memory available",
        },
    facts.availableStorageBytes < LOW_STORAGE_BYTES
      ? {
          type: "DiskPressure",
          status: "True",
          reason: "KubeletHasDiskPressure",
          message: "kubelet has disk pressure",
        }
      : {
          type: "DiskPressure",
          status: "False",
          reason: "KubeletHasNoDiskPressure",
          message: "kubelet has no disk pressure",
        },
    {
      type: "PIDPressure",
      status: "False",
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available",
    },
    readiness === "ready"
      ? {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          message: "kubelet is posting ready status",
        }
      : {
          type: "Ready",
          status: "False",
          reason: "KubeletNotReady",
          message: "node is shutting down",
        },
  ];
}
