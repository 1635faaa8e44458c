/** Whether a pod may run here: what the runtime cannot honour is refused, with all its reasons. */
import type { Pod } from "../api/generated/core.ts";
import type { Notice } from "./notice.ts";
import { isTerminal } from "./pod/endings.ts";
import { hasLife, type PodFacts } from "./pod/facts.ts";
import type { PodRecord } from "./pod-record.ts";
import { findPortConflict } from "./port-conflicts.ts";
import { findUnsupported } from "./volumes/unsupported.ts";

export interface Judgement {
  readonly refusal?: Notice;
  readonly warnings: readonly Notice[];
  /** Worth knowing, and no fault of anybody's. */
  readonly remarks?: readonly Notice[];
}

export type TellOfPod = (pod: Pod, type: "Normal" | "Warning", notice: Notice) => void;

export type Admit = (record: PodRecord, nowMs: number) => void;

export interface AdmitOptions {
  readonly judge: (pod: Pod) => Judgement;
  /** Where the pod is; undefined where there is no address left for it. */
  readonly addressesOf: (pod: Pod) => PodFacts["addresses"];
  readonly runtimeName: (pod: Pod) => string;
  /** All pods of the node that are known. */
  readonly records: () => Iterable<PodRecord>;
  readonly tell: TellOfPod;
}

/** A reason that kubelet has. */
const NO_ADDRESS: Notice = {
  reason: "UnexpectedAdmissionError",
  message: "there is no address left for it in the range of the pods of this node",
};

export function podAdmission(options: AdmitOptions): Admit {
  const { judge, addressesOf, runtimeName, records, tell } = options;
  const refusalOf = (pod: Pod) =>
    findPortConflict(pod, () => runningPods(records())) ?? volumeRefusal(pod);
  return (record, nowMs) => {
    const { pod, facts } = record;
    record.isAdmitted = true;
    // Nothing is added to what was said of a pod that was rejected before a restart.
    if (facts.rejection) return;
    const addresses = addressesOf(pod);
    if (!addresses) {
      tell(pod, "Warning", NO_ADDRESS);
      record.facts = { ...facts, rejection: NO_ADDRESS };
      return;
    }
    const known = { ...facts, addresses, runtimeName: runtimeName(pod) };
    // What was accepted before a restart is not asked about again.
    if (facts.acceptedMs !== undefined) {
      record.facts = known;
      return;
    }
    const { refusal = refusalOf(pod), warnings, remarks = [] } = judge(pod);
    for (const remark of remarks) tell(pod, "Normal", remark);
    for (const warning of warnings) tell(pod, "Warning", warning);
    if (refusal) tell(pod, "Warning", refusal);
    record.facts = refusal ? { ...facts, rejection: refusal } : { ...known, acceptedMs: nowMs };
  };
}

/** A process has its ports as long as it lives, whatever the status of its pod was set to. */
function* runningPods(records: Iterable<PodRecord>): Iterable<Pod> {
  for (const { pod, facts } of records) {
    const isOver = isTerminal(pod.status?.phase) && !hasLife(facts);
    if (facts.acceptedMs !== undefined && !isOver) yield pod;
  }
}

/** What nobody mounts here, whatever runs the pod. */
function volumeRefusal(pod: Pod): Notice | undefined {
  const message = findUnsupported(pod);
  return message === undefined ? undefined : { reason: "NotSupportedByRuntime", message };
}
