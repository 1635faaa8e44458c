import { expect, test } from "vitest";
import { readConfiguration } from "./configuration.ts";
import { formatLevelVersion, NO_EXEMPTIONS, policyOf } from "./policy.ts";

const GIVEN = { defaults: policyOf("baseline"), exemptions: NO_EXEMPTIONS };

function read(configuration: string) {
  const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
  return readConfiguration(`${head}plugins: [{name: PodSecurity, ${configuration}}]`, GIVEN);
}

const OWN = "apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration";

test("missing defaults in the file are those of the server's mode", () => {
  const { defaults, exemptions } = read(
    `configuration: {${OWN}, defaults: {enforce: restricted, enforce-version: v1.30}, ` +
      "exemptions: {namespaces: [a]}}",
  );
  expect(Object.values(defaults).map(formatLevelVersion)).toEqual([
    "restricted:v1.30",
    "baseline:latest",
    "baseline:latest",
  ]);
  expect(exemptions).toEqual({ ...NO_EXEMPTIONS, namespaces: ["a"] });
});

test.each([
  [`configuration: {${OWN}, defaults: {enforce: none}}`, "defaults.enforce must be one of"],
  [`configuration: {${OWN}, defaults: {warn-version: 1.3}}`, "defaults.warn-version must be"],
  [`configuration: {${OWN}, exemptions: {usernames: a}}`, "exemptions.usernames must be a list"],
  ["configuration: {kind: Other}", "expected apiVersion pod-security.admission.config.k8s.io/v1"],
])("%s is rejected", (configuration, problem) => {
  expect(() => read(configuration)).toThrow(problem);
});

test("a plugin that would be ignored is rejected", () => {
  const text =
    "{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{name: X}]}";
  expect(() => readConfiguration(text, GIVEN)).toThrow('plugin "X": only PodSecurity is supported');
});
