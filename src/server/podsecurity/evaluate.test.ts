/** test/conformance compares the messages of each check with those of a real server. */
import { expect, test } from "vitest";
import type { PodSpec } from "../../api/generated/core.ts";
import { describeViolations, KUBERNETES_CHECKS, newEvaluator } from "./evaluate.ts";
import { type Level, policyOf, readPolicy } from "./policy.ts";

const evaluate = newEvaluator(KUBERNETES_CHECKS);
const NOBODY = policyOf("privileged");

function judge(level: Level, version: string, spec: Partial<PodSpec>): string {
  const labels = {
    "pod-security.kubernetes.io/enforce": level,
    "pod-security.kubernetes.io/enforce-version": version,
  };
  const { policy } = readPolicy(labels, NOBODY);
  const pod = { spec: { containers: [{ name: "c", resources: {} }], ...spec } as PodSpec };
  return describeViolations(evaluate(policy.enforce, pod));
}

test("the privileged level permits everything", () => {
  expect(judge("privileged", "latest", { hostNetwork: true, hostPID: true })).toBe("");
});

test("violations are listed in the order of Kubernetes' checks", () => {
  const containers = [{ name: "c", resources: {}, securityContext: { privileged: true } }];
  expect(judge("baseline", "latest", { hostNetwork: true, containers })).toBe(
    "host namespaces (hostNetwork=true), " +
      'privileged (container "c" must not set securityContext.privileged=true)',
  );
});

test("a version before a check was introduced does not apply it", () => {
  const containers = [
    { name: "c", resources: {}, livenessProbe: { tcpSocket: { port: 1, host: "h" } } },
  ];
  expect(judge("baseline", "v1.33", { containers })).toBe("");
  expect(judge("baseline", "v1.34", { containers })).toBe(
    'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  );
  expect(judge("baseline", "v1.999", { containers })).toContain("probe or lifecycle host");
});

test("a restricted check replaces the baseline check on the same subject", () => {
  const volumes = [{ name: "v", hostPath: { path: "/" } }];
  const said = judge("restricted", "v1.0", { volumes });
  expect(said).not.toContain("hostPath volumes");
  expect(said).toContain('volume "v" uses restricted volume type "hostPath"');
});

test("from 1.35 on, root inside a user namespace is permitted", () => {
  const root = { hostUsers: false, securityContext: { runAsUser: 0 } };
  expect(judge("restricted", "v1.34", root)).toContain("runAsUser=0");
  expect(judge("restricted", "v1.35", root)).not.toContain("runAsUser=0");
});
