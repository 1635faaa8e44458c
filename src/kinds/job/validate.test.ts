import { expect, test } from "vitest";
import { UID } from "../../../test/builders/created.ts";
import { aJob, INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import { jobKind } from "./kind.ts";

type Spec = Parameters<typeof aJob>[0];

function problemsOf(spec: Spec, metadata = {}): string[] {
  return jobKind.rules.validate(aJob(spec, metadata)).map(formatFinding);
}

function podRestarting(restartPolicy: string): Spec {
  return { template: { spec: { ...POD_SPEC, restartPolicy } } };
}

const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";
const NOT_INDEXED = "requires indexed completion mode";
const PER_INDEX = { ...INDEXED, backoffLimitPerIndex: 1 };
const LIMITED = "when completions are above 100000 and used with backoff limit per index";

test.each<[string, Spec]>([
  ["a plain one", {}],
  ["an Indexed one", INDEXED],
  ["an Indexed one with 0 completions", { ...INDEXED, completions: 0 }],
  ["zeros everywhere", { parallelism: 0, backoffLimit: 0, activeDeadlineSeconds: 0 }],
  ["many completions", { completions: 2147483647, parallelism: 2147483647 }],
  ["limits per index", { ...PER_INDEX, maxFailedIndexes: 5 }],
  ["one with OnFailure", podRestarting("OnFailure")],
  ["a limit per index with OnFailure", { ...PER_INDEX, ...podRestarting("OnFailure") }],
  ["one managed elsewhere", { managedBy: "example.com/controller" }],
])("%s is valid", (_name, spec) => {
  expect(problemsOf(spec)).toEqual([]);
});

test.each<[string, Spec, string[]]>([
  [
    "negative numbers",
    {
      ...PER_INDEX,
      parallelism: -1,
      completions: -1,
      activeDeadlineSeconds: -1,
      backoffLimit: -1,
      ttlSecondsAfterFinished: -1,
      backoffLimitPerIndex: -1,
      maxFailedIndexes: -1,
    },
    [
      `spec.parallelism: ${NEGATIVE}`,
      `spec.completions: ${NEGATIVE}`,
      `spec.activeDeadlineSeconds: ${NEGATIVE}`,
      `spec.backoffLimit: ${NEGATIVE}`,
      `spec.ttlSecondsAfterFinished: ${NEGATIVE}`,
      `spec.backoffLimitPerIndex: ${NEGATIVE}`,
      `spec.maxFailedIndexes: ${NEGATIVE}`,
    ],
  ],
  [
    "maxFailedIndexes alone",
    { ...INDEXED, maxFailedIndexes: 1 },
    ["spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
  ],
  [
    "limits per index of a Job that has none",
    { backoffLimitPerIndex: 1, maxFailedIndexes: 2, successPolicy: { rules: [{}] } },
    [
      `spec.backoffLimitPerIndex: Invalid value: 1: ${NOT_INDEXED}`,
      `spec.maxFailedIndexes: Invalid value: 2: ${NOT_INDEXED}`,
      "spec.successPolicy: Invalid value: " +
        `{"Rules":[{"SucceededIndexes":null,"SucceededCount":null}]}: ${NOT_INDEXED}`,
    ],
  ],
  [
    "an Indexed Job without completions",
    { completionMode: "Indexed", parallelism: 1, successPolicy: { rules: [{}] } },
    ["spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    "an unknown completion mode",
    { completionMode: "X" },
    ['spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    "too much parallelism for an Indexed Job",
    { ...INDEXED, parallelism: 100001 },
    [
      "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 " +
        "when completion mode is Indexed",
    ],
  ],
  [
    "more failed indexes than there are",
    { ...PER_INDEX, maxFailedIndexes: 6 },
    ["spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions"],
  ],
  [
    "many completions with unbounded failures",
    { ...PER_INDEX, completions: 100001, parallelism: 10001 },
    [
      "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
      `spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 ${LIMITED}`,
    ],
  ],
  [
    "many completions with many failures",
    { ...PER_INDEX, completions: 100001, maxFailedIndexes: 100001 },
    [
      "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
      "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 10000 " +
        LIMITED,
    ],
  ],
  [
    "restartPolicy Always",
    podRestarting("Always"),
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    "OnFailure with a podFailurePolicy",
    { ...podRestarting("OnFailure"), podFailurePolicy: { rules: [] } },
    [
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": ' +
        'only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [
    "replacement of running pods with a podFailurePolicy",
    { podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: { rules: [] } },
    [
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": ' +
        'supported values: "Failed"',
    ],
  ],
  [
    "an unknown replacement policy",
    { podReplacementPolicy: "X" },
    [
      'spec.podReplacementPolicy: Unsupported value: "X": ' +
        'supported values: "Failed", "TerminatingOrFailed"',
    ],
  ],
])("a Job is rejected for %s", (_name, spec, problems) => {
  expect(problemsOf(spec)).toEqual(problems);
});

const DOMAIN = 'must be a domain-prefixed path (such as "acme.io/foo")';
const PATH = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";

test.each([
  ["", ["Required value"]],
  ["a", [`Invalid value: "a": ${DOMAIN}`]],
  ["/a", [`Invalid value: "/a": ${DOMAIN}`]],
  ["a/", [`Invalid value: "a/": ${DOMAIN}`]],
  ["a.b/c d", [`Invalid value: "c d": ${PATH}`]],
  [`a.b/${"c".repeat(60)}`, ["Too long: may not be more than 63 bytes"]],
])("managedBy %j: %j", (managedBy, problems) => {
  expect(problemsOf({ managedBy })).toEqual(problems.map((text) => `spec.managedBy: ${text}`));
});

test("the name of an Indexed Job must be valid in hostnames", () => {
  const detail = "will not able to create pod with invalid DNS label: a.b-4";
  expect(problemsOf(INDEXED, { name: "a.b" })).toEqual([
    `metadata.name: Invalid value: "a.b": ${detail}`,
  ]);
  expect(problemsOf({ ...INDEXED, completions: 0 }, { name: "a.b" })).toEqual([]);
  const name = "a".repeat(62);
  expect(problemsOf(INDEXED, { name })).toHaveLength(1);
  expect(problemsOf({}, { name })).toEqual([]);
});

test("a name too long for a label is reported only on the template", () => {
  const problems = problemsOf({}, { name: "a".repeat(64) });
  expect(problems).toHaveLength(2);
  for (const problem of problems) expect(problem).toMatch(/^spec\.template\.labels: Invalid/);
});

function labelled(labels: { [key: string]: string }): Spec {
  return { template: { metadata: { labels }, spec: POD_SPEC } };
}

test("labels that contradict the generated ones are rejected", () => {
  const shown = JSON.stringify({
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "j",
    "controller-uid": UID,
    "job-name": "other",
  });
  expect(problemsOf(labelled({ "job-name": "other" }))).toEqual([
    `spec.template.metadata.labels[job-name]: Invalid value: ${shown}: must be 'j'`,
  ]);
});

test("a selector that does not match the generated labels is rejected", () => {
  const problems = problemsOf({ selector: { matchLabels: { a: "b" } }, ...labelled({ a: "b" }) });
  const selector = { matchLabels: { a: "b", "batch.kubernetes.io/controller-uid": UID } };
  expect(problems).toEqual([
    `spec.selector: Invalid value: ${JSON.stringify(selector)}: \`selector\` not auto-generated`,
  ]);
});

test.each<[string, Spec, string[]]>([
  [
    "missing",
    {},
    [
      "spec.selector: Required value",
      "spec.template.metadata.labels: " +
        'Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "selecting others",
    { selector: { matchLabels: { app: "y" } } },
    [
      "spec.template.metadata.labels: " +
        'Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "malformed",
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: " +
        "must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
])("a manual selector, %s", (_name, spec, problems) => {
  const manual = { manualSelector: true, ...labelled({ app: "x" }) };
  expect(problemsOf({ ...manual, ...spec })).toEqual(problems);
});
