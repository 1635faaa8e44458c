import { expect, test } from "vitest";
import type { PodSpec } from "../../api/generated/core.ts";
import {
  decidePod,
  type ExistingPod,
  isSignificantUpdate,
  warnOfExemption,
  warnOfExistingPods,
} from "./decide.ts";
import { KUBERNETES_CHECKS, newEvaluator } from "./evaluate.ts";
import { policyOf, readPolicy } from "./policy.ts";

const evaluate = newEvaluator(KUBERNETES_CHECKS);
const BASELINE = policyOf("baseline");

function pod(name: string, spec: Partial<PodSpec> = {}, owner?: string): ExistingPod {
  const ownerReferences = owner === undefined ? [] : [{ uid: owner, controller: true }];
  const containers = [{ name: "c", image: "i", resources: {} }];
  return { metadata: { name, ownerReferences }, spec: { containers, ...spec } };
}

test("at most 3000 existing pods are checked, one per owner first", () => {
  const alike = Array.from({ length: 3000 }, (_, index) => pod(`a-${index}`, {}, "u"));
  const pods = [...alike, pod("other", { hostPID: true }, "v")];
  expect(warnOfExistingPods(evaluate, BASELINE.enforce, { namespace: "n", pods })).toEqual([
    "new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods",
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    "other: host namespaces",
  ]);
});

test("a rejected pod is audited but causes no warning", () => {
  const read = { policy: BASELINE, findings: [] };
  const asked = { pod: pod("p", { hostPID: true }), isEnforced: true };
  const { refusal, warnings, annotations } = decidePod(evaluate, read, asked);
  expect(refusal).toBe('violates PodSecurity "baseline:latest": host namespaces (hostPID=true)');
  expect(warnings).toEqual([]);
  expect(annotations).toEqual({
    "enforce-policy": "baseline:latest",
    "audit-violations":
      'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',
  });
});

test("invalid labels that were stored earlier are reported in the audit event", () => {
  const labels = { "pod-security.kubernetes.io/enforce": "x" };
  const read = readPolicy(labels, policyOf("privileged"));
  const { annotations } = decidePod(evaluate, read, { pod: pod("p"), isEnforced: false });
  expect(annotations["error"]).toBe(
    "Failed to parse policy: metadata.labels[pod-security.kubernetes.io/enforce]: " +
      'Invalid value: "x": must be one of privileged, baseline, restricted',
  );
});

test.each<[string, Partial<PodSpec>, boolean]>([
  ["a deadline", { activeDeadlineSeconds: 1 }, false],
  ["an image", { containers: [{ name: "c", image: "other", resources: {} }] }, true],
  ["an ephemeral container", { ephemeralContainers: [{ name: "d", resources: {} }] }, true],
])("a change of %s is checked: %s", (_, spec, expected) => {
  expect(isSignificantUpdate(pod("p", spec), pod("p"))).toBe(expected);
});

test("labels of an exempt namespace cause a warning that they have no effect", () => {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const defaults = policyOf("privileged");
  const { policy } = readPolicy(labels, defaults);
  expect(warnOfExemption("n", policy, { defaults, labels })).toEqual([
    'namespace "n" is exempt from Pod Security, and the policy (enforce=restricted:latest) ' +
      "will be ignored",
  ]);
  expect(warnOfExemption("n", defaults, { defaults, labels: {} })).toEqual([]);
});
