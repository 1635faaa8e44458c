/** Pure: what "tally wait --for" can wait for. */

import type { JobCondition } from "../api/generated/batch.ts";
import { finishOf, type JobFinish } from "../api/job-conditions.ts";
import { evaluatePath, PathError, parsePath } from "../api/json-path.ts";
import type { KubeObject } from "../api/object.ts";
import { UsageError } from "../base/usage-error.ts";
import { printValue } from "./output/json-path.ts";

export interface WaitFor {
  readonly kind: "condition" | "jsonpath" | "create" | "delete" | "finished";
  /** Whether it makes sense to wait where there is no such object. */
  readonly takesAbsent: boolean;
  readonly isMet: (object: KubeObject | undefined) => boolean;
}

/** "condition=Complete", "condition=Ready=false", "jsonpath={.status.phase}=Running" … */
export function parseFor(text: string): WaitFor {
  const lower = text.toLowerCase();
  if (lower === "delete") {
    return { kind: "delete", takesAbsent: true, isMet: (object) => object === undefined };
  }
  if (lower === "create") {
    return { kind: "create", takesAbsent: true, isMet: (object) => object !== undefined };
  }
  if (lower === "finished") return { kind: "finished", takesAbsent: false, isMet: isJobFinished };
  const [, kind, rest = ""] = /^(condition|jsonpath)=(.*)$/s.exec(text) ?? [];
  if (kind === "condition") return forCondition(rest);
  if (kind === "jsonpath") return forJsonPath(rest);
  throw new UsageError(
    "--for must be condition=NAME[=VALUE], jsonpath=PATH[=VALUE], create, delete or finished, " +
      `not ${JSON.stringify(text)}`,
  );
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  const status = (object as { readonly status?: { readonly conditions?: unknown } } | undefined)
    ?.status;
  return Array.isArray(status?.conditions) ? status.conditions : [];
}

function forCondition(text: string): WaitFor {
  const [name = "", value = "true"] = text.split("=");
  const wanted = { type: name.toLowerCase(), status: value.toLowerCase() };
  return {
    kind: "condition",
    takesAbsent: false,
    isMet: (object) => {
      const condition = conditionsOf(object).find(
        ({ type = "" }) => type.toLowerCase() === wanted.type,
      );
      if (condition === undefined || isOutdated(object, condition)) return false;
      return (condition.status ?? "").toLowerCase() === wanted.status;
    },
  };
}

/** A condition about an earlier spec says nothing of this one. */
function isOutdated(object: KubeObject | undefined, { observedGeneration }: Condition): boolean {
  const status = (object as { readonly status?: { readonly observedGeneration?: number } })?.status;
  const seen = observedGeneration ?? status?.observedGeneration;
  return seen !== undefined && seen < (object?.metadata.generation ?? 0);
}

/** Without a value it is enough that there is one. */
function forJsonPath(text: string): WaitFor {
  const [, path = "", value] = /^(\{.*?\}|[^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const wanted = value?.replace(/^(["'])(.*)\1$/s, "$2");
  try {
    const parsed = parsePath(path.replace(/^\{(.*)\}$/s, "$1"));
    return {
      kind: "jsonpath",
      takesAbsent: false,
      isMet: (object) => {
        const [found, ...others] = evaluatePath(parsed, { root: object, current: object });
        if (found === undefined || others.length > 0) return false;
        return wanted === undefined || printValue(found) === wanted;
      },
    };
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new UsageError(`--for: ${error.message}`);
  }
}

function isJobFinished(object: KubeObject | undefined): boolean {
  return finishOfObject(object) !== undefined;
}

export function isJobFailed(object: KubeObject | undefined): boolean {
  return finishOfObject(object)?.type === "Failed";
}

/** Workflows state their end by the same conditions as Jobs. */
function finishOfObject(object: KubeObject | undefined): JobFinish | undefined {
  return finishOf({ status: { conditions: conditionsOf(object) as readonly JobCondition[] } });
}
