/**
 * Pure: how an undisturbed Job ends, computed only from its spec and the plan of its containers.
 * The history is not used: there is one right answer before anything happens.
 */
import type { Job, JobSpec } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import { fateOf, type Shape } from "../shapes.ts";
import { isFinished, standingVerdict } from "./conditions.ts";
import { actionFor } from "./failures.ts";
import { indexText } from "./ledger.ts";

export interface Forecast {
  readonly reason: string;
  /** Absent if pods are stopped while they work: then the counts depend on timing. */
  readonly counts?: {
    readonly succeeded: number;
    readonly failed: number;
    readonly completedIndexes: string;
    readonly failedIndexes: string;
  };
}

/** Undefined if the end depends on more than the plan. */
export function forecastOf({ body, plan }: Shape): Forecast | undefined {
  const { spec } = body;
  if (!isPredictable(spec) || plan.disruptions > 0) return undefined;
  const limit = spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1);
  const { completed, failedIndexes, failures, succeeded } = playedOut({ body, plan });
  if (failures > limit) return { reason: "BackoffLimitExceeded" };
  const counts = {
    succeeded,
    failed: failures,
    completedIndexes: indexText(completed),
    failedIndexes: indexText(failedIndexes),
  };
  return { reason: failedIndexes.size > 0 ? "FailedIndexes" : "CompletionsReached", counts };
}

export function forecastProblem(forecast: Forecast, { spec, status }: Job): string | undefined {
  if (!isFinished({ status } as Job)) return undefined;
  const { succeeded = 0, failed = 0, completedIndexes = "", failedIndexes = "" } = status;
  const reason = standingVerdict({ spec, status } as Job)?.reason;
  const actual = { succeeded, failed, completedIndexes, failedIndexes };
  const found = { reason, ...(forecast.counts ? { counts: actual } : {}) };
  const [wanted, is] = [JSON.stringify(forecast), JSON.stringify(found)];
  return wanted === is ? undefined : `the plan says ${wanted}, the Job ${is}`;
}

function isPredictable(spec: JobSpec): boolean {
  const actions = spec.podFailurePolicy?.rules?.map(({ action }) => action) ?? [];
  return (
    (spec.completions ?? 0) > 0 &&
    spec.template.spec.restartPolicy === "Never" &&
    spec.activeDeadlineSeconds === undefined &&
    spec.successPolicy === undefined &&
    spec.maxFailedIndexes === undefined &&
    !actions.includes("FailJob")
  );
}

function playedOut({ body, plan }: Shape) {
  const { spec } = body;
  const completed = new Set<number>();
  const failedIndexes = new Set<number>();
  const { completions = 0, backoffLimitPerIndex: limit } = spec;
  let failures = 0;
  if (spec.completionMode !== "Indexed") {
    let succeeded = 0;
    for (let attempt = 0; succeeded < completions; attempt++) {
      const { exitCode } = fateOf(plan, undefined, attempt);
      if (exitCode === 0) succeeded++;
      else if (actionOf(spec, exitCode) !== "Ignore") failures++;
    }
    return { completed, failedIndexes, failures, succeeded };
  }
  for (let index = 0; index < completions; index++) {
    let counted = 0;
    for (let attempt = 0; !completed.has(index) && !failedIndexes.has(index); attempt++) {
      const { exitCode } = fateOf(plan, index, attempt);
      const action = exitCode === 0 ? "" : actionOf(spec, exitCode);
      if (exitCode === 0) completed.add(index);
      else if (action !== "Ignore") counted++;
      if (action === "FailIndex" || (limit !== undefined && counted > limit)) {
        failedIndexes.add(index);
      }
    }
    failures += counted;
  }
  return { completed, failedIndexes, failures, succeeded: completed.size };
}

function actionOf(spec: JobSpec, exitCode: number): string {
  const state = { terminated: { exitCode } };
  return actionFor(spec, {
    status: { containerStatuses: [{ name: "c", state }] },
  } as unknown as Pod);
}
