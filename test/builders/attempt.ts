/** An attempt at an index: a test names only the fields that matter to it. */
import type { Attempt } from "../../src/ledger/attempt.ts";

export function anAttempt(fields: Partial<Attempt> = {}): Attempt {
  return {
    outcome: "Failed",
    startTime: undefined,
    endTime: undefined,
    exitCode: undefined,
    signal: undefined,
    reason: undefined,
    message: undefined,
    logFile: undefined,
    node: undefined,
    pod: "work-0-abcde",
    podUID: "pod-uid",
    jobUID: "job-uid",
    ...fields,
  };
}
