import { expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import { formatFinding } from "../../api/finding.ts";
import { validatePodAnnotations } from "./validate-annotations.ts";

function findings(annotations: { readonly [key: string]: string }): string[] {
  return validatePodAnnotations(annotations, storedPod().spec, "a").map(formatFinding);
}

test("the seccomp profile of the pod is reported before those of containers", () => {
  const annotations = {
    "container.seccomp.security.alpha.kubernetes.io/c": "localhost/../x",
    "seccomp.security.alpha.kubernetes.io/pod": "bad",
  };
  expect(findings(annotations)).toEqual([
    "a.seccomp.security.alpha.kubernetes.io/pod: Invalid value: " +
      '"bad": must be a valid seccomp profile',
    "a.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: " +
      "\"../x\": must not contain '..'",
  ]);
});

test.each([
  ["0", true],
  ["-5", true],
  ["2147483647", true],
  ["2147483648", false],
  ["+1", false],
  ["007", false],
  ["", false],
])("%j can be the cost of a pod's deletion: %j", (cost, isValid) => {
  const key = "controller.kubernetes.io/pod-deletion-cost";
  expect(findings({ [key]: cost }).length === 0).toBe(isValid);
});
