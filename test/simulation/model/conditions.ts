/** Pure: what the conditions of a Job say about how it ends. */
import type { Job } from "../../../src/api/generated/batch.ts";

export interface Verdict {
  readonly kind: "failure" | "success";
  readonly reason: string;
}

export function standingVerdict({ status }: Job): Verdict | undefined {
  const find = (wanted: string) =>
    status.conditions?.find(({ type, status: is }) => type === wanted && is === "True");
  const met = find("SuccessCriteriaMet");
  if (met) return success(met.reason ?? "");
  const target = find("FailureTarget");
  return target && failure(target.reason ?? "");
}

export function isFinished({ status }: Job): boolean {
  const ends = ["Complete", "Failed"];
  return (
    status.conditions?.some(({ type, status: is }) => ends.includes(type) && is === "True") ?? false
  );
}

export function failure(reason: string): Verdict {
  return { kind: "failure", reason };
}

export function success(reason: string): Verdict {
  return { kind: "success", reason };
}
