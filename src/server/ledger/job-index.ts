/** Pure: an index of a Job as an API object and as a table row. */
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { age, humanDuration } from "../../api/print/age.ts";
import { millisecondsOf } from "../../api/time.ts";
import type { Cell, Column } from "../../kinds/kind.ts";
import type { Attempt } from "../../ledger/attempt.ts";
import type { IndexState } from "../../ledger/index-states.ts";

export const LEDGER_GROUP = "tallyjob.io";
export const LEDGER_VERSION = "v1alpha1";
export const LEDGER_API = `${LEDGER_GROUP}/${LEDGER_VERSION}`;

export interface JobIndex extends KubeObject {
  readonly spec: { readonly jobName: string; readonly index: number };
  readonly status: { readonly state: IndexState; readonly attempts: readonly Attempt[] };
}

export interface JobIndexParts {
  readonly namespace: string;
  readonly jobName: string;
  /** Absent if the Job was deleted. */
  readonly owner?: OwnerReference;
  readonly created?: string;
  readonly index: number;
  readonly state: IndexState;
  readonly attempts: readonly Attempt[];
}

export function composeJobIndex(parts: JobIndexParts): JobIndex {
  const { namespace, jobName, owner, created, index, state, attempts } = parts;
  return {
    apiVersion: LEDGER_API,
    kind: "JobIndex",
    metadata: {
      name: `${jobName}-${index}`,
      namespace,
      ...(created ? { creationTimestamp: created } : {}),
      ...(owner ? { ownerReferences: [owner] } : {}),
    },
    spec: { jobName, index },
    status: { state, attempts },
  };
}

const column = (name: string, description: string, more: Partial<Column> = {}): Column => ({
  name,
  type: "string",
  description,
  ...more,
});

export const jobIndexColumns: readonly Column[] = [
  column("Index", "The completion index.", { type: "integer" }),
  column("State", "Pending, Running, BackingOff (to be retried), Succeeded, Failed or NotRun."),
  column("Attempts", "How often it was attempted.", { type: "integer" }),
  column("Exit", "The exit code of the last attempt that is over."),
  column("Reason", "Why that attempt ended."),
  column("Node", "Where the last attempt ran."),
  column("Duration", "How long the last attempt took, or has been taking."),
  column("Age", "When the last attempt began."),
  column("Pod", "The pod of the last attempt.", { priority: 1 }),
  column("Log", "Where the output of the last attempt is kept.", { priority: 1 }),
];

export function jobIndexCells({ spec, status }: JobIndex, now: Date): Cell[] {
  const { state, attempts } = status;
  const last = attempts.at(-1);
  const over = attempts.findLast(({ outcome }) => outcome !== "Running" && outcome !== "Pending");
  return [
    spec.index,
    state,
    attempts.length,
    over?.exitCode === undefined ? NONE : String(over.exitCode),
    over?.reason ?? NONE,
    last?.node ?? NONE,
    durationOf(last, now),
    last?.startTime ? age(last.startTime, now) : NONE,
    last?.pod ?? NONE,
    last?.logFile ?? NONE,
  ];
}

const NONE = "<none>";

function durationOf(attempt: Attempt | undefined, now: Date): string {
  if (!attempt?.startTime) return NONE;
  const isOver = attempt.outcome !== "Running" && attempt.outcome !== "Pending";
  if (isOver && !attempt.endTime) return NONE;
  const endMs = isOver && attempt.endTime ? millisecondsOf(attempt.endTime) : now.getTime();
  return humanDuration(endMs - millisecondsOf(attempt.startTime));
}
