import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { StatefulSet, StatefulSetStatus } from "../../api/generated/apps.ts";
import type { Json } from "../../api/object.ts";
import { statefulSetKind } from "./stateful-set.ts";

type Body = { [key: string]: Json };

const CONTAINER = { name: "c", image: "busybox:1.36" };

function template(spec: Body = {}): Body {
  return { metadata: { labels: { app: "x" } }, spec: { containers: [CONTAINER], ...spec } };
}

function aStatefulSet(spec: Body = {}, metadata: Body = {}) {
  const selector = { matchLabels: { app: "x" } };
  const whole = { serviceName: "svc", selector, template: template(), ...spec };
  return created<StatefulSet>(statefulSetKind, { metadata, spec: whole });
}

function problemsOf(spec: Body, metadata: Body = {}): string[] {
  return statefulSetKind.rules.validate(aStatefulSet(spec, metadata)).map(formatFinding);
}

function changeOf(old: StatefulSet, spec: Body): string[] {
  const next = patched(statefulSetKind, old, { spec });
  return statefulSetKind.rules.validateUpdate(next, old).map(formatFinding);
}

test("an empty StatefulSet spec gets the defaults", () => {
  const { spec, status } = aStatefulSet();
  expect(spec).toMatchObject({
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
  });
  expect(status).toEqual({ replicas: 0, availableReplicas: 0 });
});

test("an explicit strategy gets no default partition, and maxUnavailable is dropped", () => {
  const named = aStatefulSet({ updateStrategy: { type: "RollingUpdate" } });
  expect(named.spec.updateStrategy).toEqual({ type: "RollingUpdate" });
  const gated = aStatefulSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
  expect(gated.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0 });
});

const CLAIM = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

test("claim templates get defaults, and their volumes can be mounted", () => {
  const mounting = template({
    containers: [{ ...CONTAINER, volumeMounts: [{ name: "data", mountPath: "/d" }] }],
  });
  const spec = { volumeClaimTemplates: [CLAIM], template: mounting };
  expect(aStatefulSet(spec).spec.volumeClaimTemplates).toEqual([
    {
      ...CLAIM,
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      spec: { ...CLAIM.spec, volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    },
  ]);
  expect(problemsOf(spec)).toEqual([]);
  expect(problemsOf({ template: mounting })).toEqual([
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
  ]);
});

const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";

test.each<[string, Body, string[]]>([
  ["a valid StatefulSet has no problems", {}, []],
  [
    "negative numbers",
    {
      replicas: -1,
      minReadySeconds: -1,
      ordinals: { start: -1 },
      updateStrategy: { rollingUpdate: { partition: -1 } },
    },
    [
      `spec.updateStrategy.rollingUpdate.partition: ${NEGATIVE}`,
      `spec.replicas: ${NEGATIVE}`,
      `spec.minReadySeconds: ${NEGATIVE}`,
      `spec.ordinals.start: ${NEGATIVE}`,
    ],
  ],
  [
    "unknown policies",
    {
      podManagementPolicy: "X",
      updateStrategy: { type: "Y" },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Z" },
    },
    [
      `spec.podManagementPolicy: Invalid value: "X": must be 'OrderedReady' or 'Parallel'`,
      'spec.updateStrategy: Invalid value: {"Type":"Y","RollingUpdate":null}: ' +
        "must be 'RollingUpdate' or 'OnDelete'",
      "spec.persistentVolumeClaimRetentionPolicy.whenDeleted: " +
        'Unsupported value: "Z": supported values: "Retain", "Delete"',
    ],
  ],
  [
    "a rolling update on delete",
    { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 2 } } },
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":2,"MaxUnavailable":null}: ' +
        "only allowed for updateStrategy 'RollingUpdate'",
    ],
  ],
  [
    "no selector",
    { selector: null },
    [
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: ' +
        "`selector` does not match template `labels`",
    ],
  ],
  [
    "a malformed selector, which skips the check of the pods",
    { selector: { matchExpressions: [{ key: "a", operator: "In" }] }, template: {} },
    [
      "spec.selector.matchExpressions[0].values: Required value: " +
        "must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}',
    ],
  ],
  [
    "an empty selector",
    { selector: {} },
    ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"],
  ],
  [
    "a selector that does not match the template",
    { selector: { matchLabels: { app: "y" } } },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: ' +
        "`selector` does not match template `labels`",
    ],
  ],
  [
    "pods that do not restart always",
    { template: template({ restartPolicy: "Never", activeDeadlineSeconds: 5 }) },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: " +
        "Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
    ],
  ],
])("%s", (_name, spec, problems) => {
  expect(problemsOf(spec)).toEqual(problems);
});

test("names must be valid labels, because they are used in hostnames", () => {
  expect(problemsOf({}, { name: "a.b" })).toEqual([
    'metadata.name: Invalid value: "a.b": must not contain dots',
  ]);
  expect(problemsOf({ serviceName: "a.b" })).toEqual([
    'spec.serviceName: Invalid value: "a.b": must not contain dots',
  ]);
});

test.each<[string, Body]>([
  ["replicas", { replicas: 5 }],
  ["ordinals", { ordinals: { start: 3 } }],
  ["template", { template: { spec: { containers: [{ name: "c", image: "x:2" }] } } }],
  ["updateStrategy", { updateStrategy: { type: "OnDelete", rollingUpdate: null } }],
  ["other fields", { minReadySeconds: 4, revisionHistoryLimit: 2 }],
])("%s may change", (_name, spec) => {
  expect(changeOf(aStatefulSet(), spec)).toEqual([]);
});

test.each<[string, Body]>([
  ["volumeClaimTemplates", { volumeClaimTemplates: [CLAIM] }],
  ["serviceName", { serviceName: "other" }],
  ["podManagementPolicy", { podManagementPolicy: "Parallel" }],
])("%s may not change", (_name, spec) => {
  const [problem, ...others] = changeOf(aStatefulSet(), spec);
  expect(problem).toMatch(/^spec: Forbidden: updates to statefulset spec for fields other than /);
  expect(others).toEqual([]);
});

test.each<[string, Partial<StatefulSetStatus>, string[]]>([
  [
    "counts up to the number of replicas",
    { replicas: 2, readyReplicas: 2, availableReplicas: 1 },
    [],
  ],
  [
    "counts above the number of replicas",
    { replicas: 1, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2 },
    [
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
    ],
  ],
  [
    "available but not ready",
    { replicas: 1, availableReplicas: 1 },
    ["status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas"],
  ],
])("a status of %s", (_name, status, problems) => {
  const old = aStatefulSet();
  const next = { ...old, ...{ status: { ...old.status, ...status } } };
  const found = statefulSetKind.rules.validateStatusUpdate?.(next, old);
  expect(found?.map(formatFinding)).toEqual(problems);
});

test("collisionCount must not decrease", () => {
  const set = aStatefulSet();
  const old = { ...set, ...{ status: { ...set.status, collisionCount: 1 } } };
  const found = statefulSetKind.rules.validateStatusUpdate?.(set, old).map(formatFinding);
  expect(found).toEqual(["status.collisionCount: Invalid value: 0: cannot be decremented"]);
});

test("a negative revisionHistoryLimit causes a warning", () => {
  const set = aStatefulSet({ revisionHistoryLimit: -1 });
  expect(statefulSetKind.rules.warningsOnCreate?.(set)).toHaveLength(1);
  expect(statefulSetKind.rules.warningsOnUpdate?.(set, set)).toHaveLength(1);
});

test("a row counts the pods that are ready", () => {
  const set = aStatefulSet({ replicas: 3 });
  const cells = statefulSetKind.cells(
    { ...set, ...{ status: { ...set.status, readyReplicas: 1 } } },
    new Date(0),
  );
  expect(cells).toEqual(["j", "1/3", "<unknown>", "c", "busybox:1.36"]);
  expect(statefulSetKind.columns).toHaveLength(cells.length);
});

test.each<[Body[], string[]]>([
  [[CLAIM, CLAIM], []],
  [
    [{ ...CLAIM, spec: {} }],
    [
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: " +
        "at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ],
  ],
  [
    [{ ...CLAIM, metadata: {} }],
    [
      "spec.template.spec.volumes[0].persistentVolumeClaim.claimName: Required value",
      "spec.template.spec.volumes[0].name: Required value",
    ],
  ],
])("the claims %j have the problems %j", (volumeClaimTemplates, expected) => {
  expect(problemsOf({ volumeClaimTemplates })).toEqual(expected);
});

test("a fractional amount of bytes in a claim causes a warning", () => {
  const spec = { ...CLAIM.spec, resources: { requests: { storage: "1500m" } } };
  const made = aStatefulSet({ volumeClaimTemplates: [{ ...CLAIM, spec }] });
  expect(statefulSetKind.rules.warningsOnCreate?.(made)).toEqual([
    'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" ' +
      "is invalid, must be an integer",
  ]);
});
