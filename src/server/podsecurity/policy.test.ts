import { expect, test } from "vitest";
import { formatFinding } from "../../api/finding.ts";
import { formatLevelVersion, type Labels, policyOf, readPolicy } from "./policy.ts";

function read(labels: Labels) {
  const prefixed = Object.entries(labels).map(([key, value]) => [`${PREFIX}${key}`, value]);
  const { policy, findings } = readPolicy(Object.fromEntries(prefixed), policyOf("privileged"));
  const levels = [policy.enforce, policy.audit, policy.warn].map(formatLevelVersion);
  return { levels, findings: findings.map(formatFinding) };
}

const PREFIX = "pod-security.kubernetes.io/";

test("a namespace without labels has the default policy", () => {
  const defaults = policyOf("baseline", "privileged");
  expect(readPolicy({ other: "label" }, defaults).policy).toEqual(defaults);
  expect(readPolicy(undefined, defaults).policy).toEqual(defaults);
});

test("warnings follow the enforced level unless the namespace sets its own", () => {
  expect(read({ enforce: "baseline", "enforce-version": "v1.24" }).levels).toEqual([
    "baseline:v1.24",
    "privileged:latest",
    "baseline:v1.24",
  ]);
  expect(read({ enforce: "baseline", warn: "privileged" }).levels[2]).toBe("privileged:latest");
  expect(read({ enforce: "baseline", "warn-version": "v1.20" }).levels[2]).toBe("baseline:v1.20");
});

test("an unknown level enforces the strictest one, and neither audits nor warns", () => {
  const { levels, findings } = read({ enforce: "x", audit: "y", warn: "z" });
  expect(levels).toEqual(["restricted:latest", "privileged:latest", "privileged:latest"]);
  expect(findings).toHaveLength(3);
  expect(findings[0]).toBe(
    `metadata.labels[${PREFIX}enforce]: Invalid value: "x": ` +
      "must be one of privileged, baseline, restricted",
  );
});

test.each(["1.24", "v1", "v1.01", "v2.0", "v1.99999999999999999999", ""])(
  "%j is not a version",
  (version) => {
    expect(read({ "enforce-version": version }).findings).toHaveLength(1);
  },
);
