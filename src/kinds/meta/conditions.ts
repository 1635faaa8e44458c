/** Pure: metav1.Condition, the common form of conditions. */
import {
  duplicate,
  type Finding,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../api/finding.ts";
import type { Condition } from "../../api/generated/meta.ts";
import { regexProblem } from "../../api/names.ts";
import { byteLength, validateLabelName } from "./labels.ts";

const STATUSES = ["False", "True", "Unknown"];
const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${REASON}$`);
const REASON_MAX_BYTES = 1024;
const MESSAGE_MAX_BYTES = 32 * 1024;

export function validateConditions(
  conditions: readonly Condition[] | undefined,
  path: string,
): Finding[] {
  const seen = new Set<string>();
  return (conditions ?? []).flatMap((condition, at) => {
    const { type } = condition;
    const repeated = seen.has(type) ? [duplicate(`${path}[${at}].type`, type)] : [];
    seen.add(type);
    return [...repeated, ...validateCondition(condition, `${path}[${at}]`)];
  });
}

function validateCondition(condition: Condition, path: string): Finding[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, message } = condition;
  const findings = validateLabelName(type, `${path}.type`);
  if (!STATUSES.includes(status)) {
    findings.push(notSupported(`${path}.status`, status, STATUSES));
  }
  if (observedGeneration < 0) {
    const detail = "must be greater than or equal to zero";
    findings.push(invalid(`${path}.observedGeneration`, observedGeneration, detail));
  }
  if ((lastTransitionTime ?? null) === null) {
    findings.push(required(`${path}.lastTransitionTime`, "must be set"));
  }
  findings.push(...validateReason(condition.reason, `${path}.reason`));
  if (byteLength(message) > MESSAGE_MAX_BYTES) {
    findings.push(tooLong(`${path}.message`, MESSAGE_MAX_BYTES));
  }
  return findings;
}

function validateReason(reason: string, path: string): Finding[] {
  if (reason === "") return [required(path, "must be set")];
  const findings: Finding[] = [];
  if (!reasonPattern.test(reason)) {
    const rule =
      "a condition reason must start with alphabetic character, optionally followed by a string " +
      "of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
    const examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
    findings.push(invalid(path, reason, regexProblem(rule, REASON, examples)));
  }
  if (byteLength(reason) > REASON_MAX_BYTES) findings.push(tooLong(path, REASON_MAX_BYTES));
  return findings;
}
