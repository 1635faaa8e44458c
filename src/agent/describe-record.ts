/**
 * Pure: what the agent knows of a pod, for diagnostics. Nothing of what its processes print or
 * have in their environment.
 */
import type { LogFields } from "../base/log.ts";
import type { ContainerFacts } from "./pod/facts.ts";
import type { PodRecord } from "./pod-record.ts";

export function describeRecord(record: PodRecord): LogFields {
  const { pod, facts, isAdmitted, untoldSinceMs, ended, reading } = record;
  const { namespace, name, uid, deletionTimestamp, finalizers } = pod.metadata;
  const { containers, addresses: _addresses, ...others } = facts;
  const described = Object.entries(containers).map(([each, known]) => [each, describe(known)]);
  return {
    pod: `${namespace}/${name}`,
    uid,
    phase: pod.status.phase,
    deletionTimestamp,
    finalizers,
    isAdmitted,
    ...others,
    untoldSinceMs,
    /** Runs that the runtime has yet to forget, and ends whose last words are being read. */
    unforgotten: ended.length,
    reading,
    containers: Object.fromEntries(described),
  };
}

function describe(known: ContainerFacts): object {
  const { running, last, before: _before, terminationMessage: _message, ...others } = known;
  return {
    ...others,
    ...(running && { running: { pid: running.pid, startedMs: running.startedMs } }),
    ...(last && { last: { attempt: last.id.attempt, exitCode: last.exitCode } }),
  };
}
