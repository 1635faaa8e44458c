import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Json } from "../../api/object.ts";
import { jobKind } from "./kind.ts";

type Body = { [key: string]: Json };

function failureProblems(rules: Body[], spec: Body = {}): string[] {
  const found = jobKind.rules.validate(aJob({ podFailurePolicy: { rules }, ...spec }));
  return found.map((finding) => formatFinding(finding).replace("spec.podFailurePolicy.", ""));
}

function successProblems(rules: Body[], spec: Body = {}): string[] {
  const found = jobKind.rules.validate(aJob({ ...INDEXED, successPolicy: { rules }, ...spec }));
  return found.map((finding) => formatFinding(finding).replace("spec.successPolicy.", ""));
}

const CODES = { operator: "In", values: [1] };
const CONDITIONS = [{ type: "DisruptionTarget" }];
const ACTIONS = '"Count", "FailIndex", "FailJob", "Ignore"';

test.each<[string, Body, string[]]>([
  ["codes", { action: "FailJob", onExitCodes: CODES }, []],
  ["conditions", { action: "Ignore", onPodConditions: CONDITIONS }, []],
  [
    "exit code zero with NotIn",
    { action: "Count", onExitCodes: { operator: "NotIn", values: [0, 1] } },
    [],
  ],
  [
    "no action",
    { onExitCodes: CODES },
    [`rules[0].action: Required value: valid values: [${ACTIONS.replaceAll(",", "")}]`],
  ],
  [
    "unknown action",
    { action: "X", onExitCodes: CODES },
    [`rules[0].action: Unsupported value: "X": supported values: ${ACTIONS}`],
  ],
  [
    "FailIndex without a limit per index",
    { action: "FailIndex", onExitCodes: CODES },
    ['rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
  ],
  [
    "neither requirement",
    { action: "Count" },
    ["rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"],
  ],
  [
    "both requirements",
    { action: "Count", onExitCodes: CODES, onPodConditions: CONDITIONS },
    ["rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"],
  ],
  [
    "codes of another container, without operator and values",
    { action: "Count", onExitCodes: { containerName: "d", values: [] } },
    [
      'rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
      'rules[0].onExitCodes.containerName: Invalid value: "d": ' +
        "must be one of the container or initContainer names in the pod template",
      "rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
    ],
  ],
  [
    "exit codes without values",
    { action: "Count", onExitCodes: { operator: "In" } },
    ["rules[0].onExitCodes.values: Invalid value: null: at least one value is required"],
  ],
  [
    "codes that are zero, repeated and out of order",
    { action: "Count", onExitCodes: { operator: "In", values: [2, 0, 2] } },
    [
      "rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
      "rules[0].onExitCodes.values[2]: Duplicate value: 2",
      "rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered",
    ],
  ],
  [
    "an unknown status",
    { action: "Count", onPodConditions: [{ type: "A", status: "Maybe" }] },
    [
      'rules[0].onPodConditions[0].status: Unsupported value: "Maybe": ' +
        'supported values: "False", "True", "Unknown"',
    ],
  ],
])("podFailurePolicy: %s", (_name, rule, problems) => {
  expect(failureProblems([rule])).toEqual(problems);
});

test("a podFailurePolicy is limited in rules, codes and patterns", () => {
  const rule = { action: "Count", onExitCodes: CODES };
  expect(failureProblems([])).toEqual([]);
  expect(failureProblems(Array(20).fill(rule))).toEqual([]);
  expect(failureProblems(Array(21).fill(rule))).toEqual([
    "rules: Too many: 21: must have at most 20 items",
  ]);
  const values = Array.from({ length: 256 }, (_, at) => at + 1);
  expect(failureProblems([{ action: "Count", onExitCodes: { operator: "In", values } }])).toEqual([
    "rules[0].onExitCodes.values: Too many: 256: must have at most 255 items",
  ]);
  const patterns = Array(21).fill({ type: "A", status: "True" });
  expect(failureProblems([{ action: "Count", onPodConditions: patterns }])).toEqual([
    "rules[0].onPodConditions: Too many: 21: must have at most 20 items",
  ]);
});

test.each<[string, Body[], string[]]>([
  ["a count", [{ succeededCount: 5 }], []],
  ["indexes", [{ succeededIndexes: "0,2-4" }], []],
  ["no indexes, written out", [{ succeededIndexes: "" }], []],
  ["a count of zero", [{ succeededCount: 0 }], []],
  [
    "no rules",
    [],
    [
      "rules: Required value: " +
        "at least one rules must be specified when the successPolicy is specified",
    ],
  ],
  [
    "many rules",
    Array(21).fill({ succeededCount: 1 }),
    ["rules: Too many: 21: must have at most 20 items"],
  ],
  [
    "an empty rule",
    [{}],
    [
      "rules[0]: Required value: " +
        "at least one of succeededCount or succeededIndexes must be specified",
    ],
  ],
  [
    "malformed indexes with a count",
    [{ succeededIndexes: "5", succeededCount: 1 }],
    [
      'rules[0].succeededIndexes: Invalid value: "5": ' +
        'error parsing succeededIndexes: too large index: "5"',
      "rules[0].succeededCount: Invalid value: 1: must be less than or equal to 0 " +
        "(the number of indexes in the specified succeededIndexes field)",
    ],
  ],
  [
    "a count above both bounds",
    [{ succeededIndexes: "0-1", succeededCount: 6 }],
    [
      "rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 " +
        "(the number of specified completions)",
      "rules[0].succeededCount: Invalid value: 6: must be less than or equal to 2 " +
        "(the number of indexes in the specified succeededIndexes field)",
    ],
  ],
  [
    "a negative count",
    [{ succeededCount: -1 }],
    ["rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"],
  ],
])("successPolicy: %s", (_name, rules, problems) => {
  expect(successProblems(rules)).toEqual(problems);
});

test("succeededIndexes are limited in length", () => {
  expect(successProblems([{ succeededIndexes: "0".repeat(65537) }])).toEqual([
    "rules[0].succeededIndexes: Too long: may not be more than 65536 bytes",
  ]);
});
