import { expect, test } from "vitest";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const KINDS = {
  Deployment: ["apps/v1", "/apis/apps/v1/namespaces/default/deployments"],
  ReplicaSet: ["apps/v1", "/apis/apps/v1/namespaces/default/replicasets"],
  DaemonSet: ["apps/v1", "/apis/apps/v1/namespaces/default/daemonsets"],
  ReplicationController: ["v1", "/api/v1/namespaces/default/replicationcontrollers"],
} as const;

type Name = keyof typeof KINDS;
type Fields = { readonly [field: string]: unknown };

const LABELS = { app: "x" };

function workload(kind: Name, spec: Fields = {}, pod: Fields = {}): Fields {
  const selector = kind === "ReplicationController" ? LABELS : { matchLabels: LABELS };
  const containers = [{ name: "c", image: "i" }];
  const template = { metadata: { labels: LABELS }, spec: { containers, ...pod } };
  const [apiVersion] = KINDS[kind];
  return { apiVersion, kind, metadata: { name: "w" }, spec: { selector, template, ...spec } };
}

function create(kind: Name, body: Fields, server: TestServer = aServer()) {
  return ask(server, "POST", KINDS[kind][1], body);
}

/** "spec.replicas: Invalid value: -1: …", one text per cause. */
function causes(text: string): string[] {
  const { details } = JSON.parse(text) as {
    details?: { causes?: { field: string; message: string }[] };
  };
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

const NEGATIVE = "must be greater than or equal to 0";
const UNMATCHED =
  'spec.template.metadata.labels: Invalid value: {"app":"x"}: ' +
  "`selector` does not match template `labels`";

test.each<[Name, string, Fields, Fields, string[]]>([
  [
    "Deployment",
    "negative numbers",
    { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -2 },
    {},
    [
      `spec.replicas: Invalid value: -1: ${NEGATIVE}`,
      `spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
      `spec.revisionHistoryLimit: Invalid value: -1: ${NEGATIVE}`,
      `spec.progressDeadlineSeconds: Invalid value: -2: ${NEGATIVE}`,
      "spec.progressDeadlineSeconds: Invalid value: -2: must be greater than minReadySeconds",
    ],
  ],
  [
    "Deployment",
    "no selector",
    { selector: null },
    {},
    ["spec.selector: Required value", UNMATCHED],
  ],
  [
    "Deployment",
    "an empty selector",
    { selector: {} },
    {},
    ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
  ],
  [
    "ReplicaSet",
    "a selector that does not match its template",
    { selector: { matchLabels: { a: "b" } } },
    {},
    [UNMATCHED],
  ],
  [
    "Deployment",
    "a strategy that nobody knows",
    { strategy: { type: "Slowly" } },
    {},
    [
      'spec.strategy: Unsupported value: {"Type":"Slowly","RollingUpdate":null}: ' +
        'supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    "Deployment",
    "a rolling update with strategy Recreate",
    { strategy: { type: "Recreate", rollingUpdate: {} } },
    {},
    [
      "spec.strategy.rollingUpdate: Forbidden: " +
        "may not be specified when strategy `type` is 'Recreate'",
    ],
  ],
  [
    "Deployment",
    "maxUnavailable and maxSurge both 0",
    { strategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: 0 } } },
    {},
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": ' +
        "may not be 0 when `maxSurge` is 0",
    ],
  ],
  [
    "Deployment",
    "a percentage above 100",
    { strategy: { rollingUpdate: { maxUnavailable: "101%", maxSurge: -1 } } },
    {},
    [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: ${NEGATIVE}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": ' +
        "must not be greater than 100%",
    ],
  ],
  [
    "ReplicaSet",
    "pods that do not restart always",
    { replicas: 2 },
    { restartPolicy: "Never", activeDeadlineSeconds: 5 },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: " +
        "activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
  ],
  [
    "DaemonSet",
    "both maxUnavailable and maxSurge",
    { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    {},
    [
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: " +
        "may not be set when maxUnavailable is non-zero",
    ],
  ],
  [
    "DaemonSet",
    "neither maxUnavailable nor maxSurge",
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    {},
    [
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: " +
        "cannot be 0 when maxSurge is 0",
    ],
  ],
  [
    "DaemonSet",
    "a strategy that nobody knows",
    { updateStrategy: { type: "Slowly" } },
    {},
    [
      'spec.updateStrategy: Unsupported value: {"Type":"Slowly","RollingUpdate":null}: ' +
        'supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    "DaemonSet",
    "an empty selector",
    { selector: {} },
    {},
    ["spec.selector: Invalid value: {}: empty selector is invalid for daemonset"],
  ],
  [
    "ReplicationController",
    "pods without containers",
    {},
    { containers: [] },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    "ReplicationController",
    "a writable disk for several pods",
    { replicas: 2 },
    { volumes: [{ name: "v", gcePersistentDisk: { pdName: "d" } }] },
    [
      "spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be " +
        "true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is " +
        "read-only",
    ],
  ],
])("a %s with %s is rejected", (kind, _, spec, pod, expected) => {
  const { status, text } = create(kind, workload(kind, spec, pod));
  expect(causes(text)).toEqual(expected);
  expect(status).toBe(422);
});

test.each<[Name]>([["Deployment"], ["ReplicaSet"], ["DaemonSet"]])(
  "the selector of a %s may not change",
  (kind) => {
    const server = aServer();
    create(kind, workload(kind), server);
    const labels = { app: "x", more: "y" };
    const { object } = ask(server, "GET", `${KINDS[kind][1]}/w`);
    const next = object as unknown as { spec: Fields };
    const selector = { matchLabels: labels };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const body = { ...next, spec: { ...next.spec, selector, template } };
    const { text } = ask(server, "PUT", `${KINDS[kind][1]}/w`, body);
    const fixed = `spec.selector: Invalid value: ${JSON.stringify(selector)}: field is immutable`;
    expect(causes(text)).toEqual([fixed]);
  },
);

test.each<[Name, Fields, string[]]>([
  [
    "Deployment",
    { replicas: 1, readyReplicas: 2, availableReplicas: 3, collisionCount: 1 },
    [
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ],
  ],
  [
    "DaemonSet",
    { numberReady: -1, collisionCount: 1 },
    [
      `status.numberReady: Invalid value: -1: ${NEGATIVE}`,
      "status.collisionCount: Invalid value: 1: cannot be decremented",
    ],
  ],
  [
    "ReplicationController",
    { replicas: 1, fullyLabeledReplicas: 2 },
    ["status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
])("the status counts of a %s must be consistent", (kind, status, expected) => {
  const server = aServer();
  create(kind, workload(kind), server);
  const url = `${KINDS[kind][1]}/w/status`;
  if ("collisionCount" in status) ask(server, "PATCH", url, { status: { collisionCount: 2 } });
  expect(causes(ask(server, "PATCH", url, { status }).text)).toEqual(expected);
});

test("changed annotations of a Deployment count; a status update keeps labels", () => {
  const server = aServer();
  create("Deployment", workload("Deployment"), server);
  const url = `${KINDS.Deployment[1]}/w`;
  const annotated = ask(server, "PATCH", url, { metadata: { annotations: { a: "1" } } }).object;
  expect(annotated.metadata.generation).toBe(2);
  const labelled = ask(server, "PATCH", `${url}/status`, { metadata: { labels: { l: "1" } } });
  expect(labelled.object.metadata).toMatchObject({ generation: 2 });
  expect(labelled.object.metadata.labels).toBeUndefined();
});
