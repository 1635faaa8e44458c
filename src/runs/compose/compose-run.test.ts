import { expect, test } from "vitest";
import { composeRun } from "./compose-run.ts";
import type { FailureOptions, RunRequest } from "./run-request.ts";

const REQUEST: RunRequest = {
  name: "fruits",
  namespace: "default",
  suffix: "x7k2p",
  command: ["echo", "{F}"],
  list: { parameters: ["F"], columns: [["apple", "banana", "cherry"]] },
  parallelism: 2,
};

function listOf(count: number) {
  return { parameters: ["F"], columns: [Array.from({ length: count }, (_, at) => `${at}`)] };
}

function compose(fields: Partial<RunRequest> = {}) {
  return composeRun({ ...REQUEST, ...fields });
}

test("a list is an Indexed Job that names it, with failure rules for lists", () => {
  const { job, support, notices } = compose();
  expect(job).toEqual({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "fruits",
      namespace: "default",
      annotations: {
        "tallyjob.io/keep-pods": "failed",
        "tallyjob.io/backoff-base": "1s",
        "tallyjob.io/backoff-cap": "60s",
        "tallyjob.io/work-list": "fruits-list-x7k2p",
      },
    },
    spec: {
      completionMode: "Indexed",
      completions: 3,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      podReplacementPolicy: "Failed",
      template: {
        metadata: {},
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          containers: [{ name: "main", image: "host", command: ["echo", "$(F)"], resources: {} }],
        },
      },
    },
    status: {},
  });
  expect(notices).toEqual([]);
  expect(support()).toEqual([
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "fruits-list-x7k2p", namespace: "default" },
      immutable: true,
      data: {
        list: '{"parameters":["F"],"items":3,"starts":[0]}',
        items: '"apple"\n"banana"\n"cherry"',
      },
    },
  ]);
});

test("without a list --completions sets the number of indexes", () => {
  const { list: _, ...rest } = REQUEST;
  const request = { ...rest, command: ["echo", "{I}"], completions: 5, indexVariable: "I" };
  const { job, support } = composeRun(request);
  expect(job.spec.completions).toBe(5);
  expect(job.metadata.annotations?.["tallyjob.io/work-list"]).toBe(undefined);
  expect(job.spec.template.spec.containers?.[0]?.env).toEqual([
    {
      name: "I",
      valueFrom: {
        fieldRef: {
          fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']",
        },
      },
    },
  ]);
  expect(support()).toEqual([]);
});

test.each<[string, FailureOptions, object]>([
  ["retries", { retries: 0 }, { backoffLimitPerIndex: 0 }],
  ["a number that may fail", { maxFailed: { count: 2 } }, { maxFailedIndexes: 2 }],
  ["a share that may fail", { maxFailed: { percent: 50 } }, { maxFailedIndexes: 1 }],
  ["an end at the first failure", { halt: "now" }, { maxFailedIndexes: 0 }],
  [
    "codes that fail at once",
    { failOn: [3, 2, 3] },
    {
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          {
            action: "FailIndex",
            onExitCodes: { containerName: "main", operator: "In", values: [2, 3] },
          },
        ],
      },
    },
  ],
  [
    "codes that are tried again",
    { retryOn: [75] },
    {
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          {
            action: "FailIndex",
            onExitCodes: { containerName: "main", operator: "NotIn", values: [75] },
          },
        ],
      },
    },
  ],
])("the Job has %s", (_, failure, spec) => {
  expect(compose({ failure }).job.spec).toMatchObject(spec);
});

test("a timeout applies to each attempt", () => {
  const { spec } = compose({ failure: { timeoutSeconds: 90 } }).job;
  expect(spec.activeDeadlineSeconds).toBe(undefined);
  expect(spec.template.spec.activeDeadlineSeconds).toBe(90);
});

test("--halt soon becomes an annotation", () => {
  const { metadata, spec } = compose({ failure: { halt: "soon", maxFailed: { count: 1 } } }).job;
  expect(metadata.annotations?.["tallyjob.io/halt"]).toBe("soon");
  expect(spec.maxFailedIndexes).toBe(1);
});

test("--restart=OnFailure sets no limits for attempts", () => {
  const { metadata, spec } = compose({ failure: { restart: "OnFailure" } }).job;
  expect(spec.template.spec.restartPolicy).toBe("OnFailure");
  expect(spec.backoffLimitPerIndex).toBe(undefined);
  expect(spec.podReplacementPolicy).toBe(undefined);
  expect(metadata.annotations?.["tallyjob.io/backoff-base"]).toBe(undefined);
});

test.each<[FailureOptions, string]>([
  [{ retries: 1 }, "--restart=OnFailure and --retries"],
  [{ retryOn: [1] }, "--restart=OnFailure and --retry-on"],
  [{ failOn: [1] }, "--restart=OnFailure and --fail-on"],
  [{ maxFailed: { count: 1 } }, "--restart=OnFailure and --max-failed"],
  [{ backoff: { base: "1s" } }, "--restart=OnFailure and --backoff"],
  [{ halt: "now" }, "--restart=OnFailure and --halt"],
])("OnFailure with %j is refused with both flags", (failure, problem) => {
  expect(() => compose({ failure: { restart: "OnFailure", ...failure } })).toThrow(problem);
});

test("above 100,000 items the limits of Kubernetes apply, with a notice", () => {
  const { job, notices } = compose({ list: listOf(100_001), parallelism: 20_000 });
  expect(job.spec).toMatchObject({ maxFailedIndexes: 10_000, parallelism: 10_000 });
  expect(notices).toEqual([
    "100001 items: the run ends when more than 10000 of them have failed, as Kubernetes asks for " +
      "above 100000; --max-failed sets another limit",
  ]);
  expect(compose({ list: listOf(100_000) }).job.spec.maxFailedIndexes).toBe(undefined);
});

test.each<[string, Partial<RunRequest>, string]>([
  ["Always", { failure: { restart: "Always" } }, "--restart=Always is not for work that ends"],
  ["another policy", { failure: { restart: "no" } }, "--restart must be Never or OnFailure"],
  ["the same code twice", { failure: { retryOn: [2], failOn: [1, 2] } }, "exit code 2"],
  [
    "more failures than may be",
    { list: listOf(100_001), failure: { maxFailed: { percent: 50 } } },
    "--max-failed 50%, which is 50000, is too many",
  ],
  ["an empty list", { list: listOf(0) }, "the list has no items"],
  ["other completions", { completions: 4 }, "--completions is 4, and the list has 3 items"],
  ["no command", { command: [] }, 'there is no command: write it after "--"'],
  ["a bad name", { name: "Fruits!" }, 'the name "Fruits!" must be of lower-case letters'],
  ["a long name", { name: "f".repeat(62) }, "with 3 items it can have 61"],
  [
    "unequal columns",
    { list: { parameters: ["A", "B"], columns: [["1"], ["1", "2"]] } },
    "A has 1 values and B has 2",
  ],
  [
    "the same parameter twice",
    { list: { parameters: ["A", "A"], columns: [["1"], ["1"]] } },
    "the parameter A is given twice",
  ],
  [
    "Kubernetes' own variable",
    { list: { parameters: ["JOB_COMPLETION_INDEX"], columns: [["1"]] } },
    "the parameter JOB_COMPLETION_INDEX is Kubernetes' own",
  ],
  [
    "a value no variable holds",
    { list: { parameters: ["F"], columns: [["é".repeat(70_000)]] } },
    "has a value of 140000 bytes, and a variable holds 131069",
  ],
  [
    "a NUL byte",
    { list: { parameters: ["F"], columns: [["a\0b"]] } },
    'item 0 ("a\\u0000b") contains a NUL byte',
  ],
  ["an index of the same name", { indexVariable: "F" }, "--completion-index-var-name F is in"],
  [
    "a variable of the same name",
    { environment: [{ name: "F", value: "" }] },
    "--env F is in the list, too",
  ],
  [
    "a batch inside an argument",
    {
      list: { parameters: ["F"], columns: [["a\nb"]], isBatched: true },
      command: ["echo", "x{F}"],
    },
    "{F} is a batch of several values",
  ],
  [
    "a batch that is secret",
    { list: { parameters: ["F"], columns: [["a\nb"]], isBatched: true }, paramsIn: "secret" },
    "--batch and --params-in=secret",
  ],
])("%s is refused", (_, fields, problem) => {
  expect(() => compose(fields)).toThrow(problem);
});

test("a value of the largest allowed size is accepted", () => {
  const list = { parameters: ["F"], columns: [["x".repeat(131_069)]] };
  expect(() => compose({ list })).not.toThrow();
});

const UNNAMED = { parameters: ["F"], item: "{}", appendsItem: true };

test.each<[string, Partial<RunRequest>, readonly string[]]>([
  [
    "a command of its own",
    { placeholders: UNNAMED, command: ["gzip", "-9"] },
    ["gzip", "-9", "$(F)"],
  ],
  [
    "one that speaks of it",
    { placeholders: UNNAMED, command: ["mv", "{}", "d"] },
    ["mv", "$(F)", "d"],
  ],
  [
    "a script",
    { placeholders: UNNAMED, command: ["sh", "-c", "echo $F"] },
    ["sh", "-c", "echo $F"],
  ],
  [
    "a script with a name",
    { placeholders: UNNAMED, command: ["sh", "-c", 'echo "$1"', "_"] },
    ["sh", "-c", 'echo "$1"', "_", "$(F)"],
  ],
  ["a named list", { command: ["echo", "hello"] }, ["echo", "hello"]],
  ["a lone word with spaces", { command: ["echo $F | wc"] }, ["sh", "-c", "echo $F | wc"]],
  ["niceness", { command: ["true"], niceness: 5 }, ["nice", "-n", "5", "true"]],
])("the item becomes an argument: %s", (_, fields, command) => {
  expect(compose(fields).job.spec.template.spec.containers?.[0]?.command).toEqual(command);
});

test("a script that uses no item gets a notice", () => {
  expect(compose({ command: ["sh", "-c", "echo hello"] }).notices).toEqual([
    "the script does not mention $F",
  ]);
});

test.each([
  [["/usr/local/bin/process_file.sh", "x"], "process-file-x7k2p"],
  [["echo $F | wc"], "echo-x7k2p"],
  [["./???"], "run-x7k2p"],
])("a run of %j without a name is %s", (command, name) => {
  const { name: _, ...rest } = REQUEST;
  expect(composeRun({ ...rest, command }).job.metadata.name).toBe(name);
});

const PATHS = {
  placeholders: UNNAMED,
  list: { parameters: ["F"], columns: [["/a/b.tar.gz", "c", ".profile", "d.e/f"]] },
};

test("parts of a path become parameters", () => {
  const command = ["convert", "{}", "{.}.png", "{/}", "{//}", "{/.}", "{#}"];
  const { job, list } = compose({ ...PATHS, command });
  expect(job.spec.template.spec.containers?.[0]?.command).toEqual([
    ...["convert", "$(F)", "$(F_STEM).png", "$(F_NAME)", "$(F_DIR)", "$(F_BASE)", "$(ITEM_NUMBER)"],
  ]);
  expect(list).toEqual({
    parameters: ["F", "F_STEM", "F_NAME", "F_DIR", "F_BASE", "ITEM_NUMBER"],
    columns: [
      ["/a/b.tar.gz", "c", ".profile", "d.e/f"],
      ["/a/b.tar", "c", ".profile", "d.e/f"],
      ["b.tar.gz", "c", ".profile", "f"],
      ["/a", ".", ".", "d.e"],
      ["b.tar", "c", ".profile", "f"],
      ["1", "2", "3", "4"],
    ],
    derived: ["F_STEM", "F_NAME", "F_DIR", "F_BASE", "ITEM_NUMBER"],
  });
});

test("unused parts of a path are not computed", () => {
  expect(compose({ ...PATHS, command: ["gzip", "{}"] }).list).toEqual(PATHS.list);
  const literal = { command: ["echo", "{.}"], skipsPlaceholderCheck: true } as const;
  expect(compose({ list: PATHS.list, ...literal }).list).toEqual(PATHS.list);
});

const TWO = {
  list: { parameters: ["ITEM_1", "ITEM_2"], columns: [["a.x"], ["b.y"]] },
  placeholders: {
    parameters: ["ITEM_1", "ITEM_2"],
    item: "{}",
    hasPositions: true,
    appendsItem: true,
  },
};

test.each([
  [
    ["echo", "{2}-{1}", "{2.}"],
    ["echo", "$(ITEM_2)-$(ITEM_1)", "$(ITEM_2_STEM)"],
  ],
  [
    ["echo", "{}"],
    ["echo", "$(ITEM_1)", "$(ITEM_2)"],
  ],
  [["echo"], ["echo", "$(ITEM_1)", "$(ITEM_2)"]],
])("items of two lists in %j", (command, expected) => {
  const { spec } = compose({ ...TWO, command }).job;
  expect(spec.template.spec.containers?.[0]?.command).toEqual(expected);
});

test.each<[string, Partial<RunRequest>, string]>([
  ["two values in one", { ...TWO, command: ["echo", "x{}"] }, "{} is 2 values here"],
  [
    "a part in a script",
    { ...PATHS, command: ["sh", "-c", "convert $F {.}.png"] },
    '{.} is not replaced in a script that a shell runs: take it from "$F" there',
  ],
  [
    "a part of a batch",
    { ...PATHS, list: { ...PATHS.list, isBatched: true }, command: ["convert", "{.}"] },
    "{.} is of one item, and --batch gives several",
  ],
])("%s is refused", (_, fields, problem) => {
  expect(() => compose(fields)).toThrow(problem);
});
