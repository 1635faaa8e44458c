import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { registry } from "../../kinds/registry.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import type { AdmissionRequest, StoreView } from "./plugin.ts";
import { onlyDefaultPriorityClass, podPriority } from "./priority.ts";
import { pullSecrets } from "./pull-secrets.ts";
import { runtimeClass } from "./runtime-class.ts";
import { taintNewNodes } from "./taint-new-nodes.ts";

type Fields = { readonly [field: string]: unknown };

/** A store with these objects, by resource. */
function holding(objects: { readonly [resource: string]: readonly Fields[] }): StoreView {
  const items = (resource: string) => (objects[resource] ?? []) as unknown as KubeObject[];
  return {
    get: ({ resource, name }) => items(resource).find(({ metadata }) => metadata.name === name),
    list: (resource) => ({ revision: 1, items: items(resource), more: false }),
  };
}

const empty = holding({});

function getKind(name: string): Kind {
  const found = registry.kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

function creating(name: string, fields: Fields): AdmissionRequest {
  const object = { metadata: { name: "o" }, ...fields } as unknown as Draft<KubeObject>;
  return { operation: "create", kind: getKind(name), namespace: "ns", object, dryRun: false };
}

function message(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "admitted";
}

function classNamed(name: string, fields: Fields): Fields {
  return { metadata: { name }, ...fields };
}

test("nothing can be created in a missing or terminating namespace", () => {
  const request = creating("ConfigMap", {});
  expect(message(() => namespaceLifecycle(request, empty))).toBe('404 namespaces "ns" not found');
  const going = holding({ namespaces: [classNamed("ns", { status: { phase: "Terminating" } })] });
  expect(message(() => namespaceLifecycle(request, going))).toBe(
    '403 configmaps "o" is forbidden: ' +
      "unable to create new content in namespace ns because it is being terminated",
  );
  const update = { ...request, operation: "update" } as const;
  expect(message(() => namespaceLifecycle(update, going))).toBe("admitted");
});

test("an error about a generated name shows its prefix", () => {
  const metadata = { name: "o-abcde", generateName: "o-" };
  const going = holding({ namespaces: [classNamed("ns", { status: { phase: "Terminating" } })] });
  const request = creating("ConfigMap", { metadata });
  expect(message(() => namespaceLifecycle(request, going))).toMatch(/^403 configmaps "o-" /);
});

test.each([
  ["default", '403 namespaces "default" is forbidden: this namespace may not be deleted'],
  ["kube-system", '403 namespaces "kube-system" is forbidden: this namespace may not be deleted'],
  ["kube-node-lease", "admitted"],
])("deleting the namespace %s: %s", (name, expected) => {
  const request = {
    ...creating("Namespace", { metadata: { name } }),
    operation: "delete",
  } as const;
  expect(message(() => namespaceLifecycle(request, empty))).toBe(expected);
});

const classes = holding({
  "priorityclasses.scheduling.k8s.io": [
    classNamed("high", { value: 9, preemptionPolicy: "Never" }),
    classNamed("usual", { value: 3, globalDefault: true }),
    classNamed("low", { value: 2, globalDefault: true }),
  ],
});

test.each<[string, Fields, StoreView, Fields | string]>([
  ["no class", {}, empty, { priority: 0, preemptionPolicy: "PreemptLowerPriority" }],
  [
    "the default class with the lowest value",
    {},
    classes,
    { priorityClassName: "low", priority: 2, preemptionPolicy: "PreemptLowerPriority" },
  ],
  [
    "a class",
    { priorityClassName: "high" },
    classes,
    { priorityClassName: "high", priority: 9, preemptionPolicy: "Never" },
  ],
  [
    "a system class",
    { priorityClassName: "system-node-critical" },
    empty,
    {
      priorityClassName: "system-node-critical",
      priority: 2000001000,
      preemptionPolicy: "PreemptLowerPriority",
    },
  ],
  [
    "an unknown class",
    { priorityClassName: "nope" },
    empty,
    '403 pods "o" is forbidden: no PriorityClass with name nope was found',
  ],
  [
    "its own priority number",
    { priority: 5 },
    empty,
    '403 pods "o" is forbidden: the integer value of priority (5) must not be provided in pod ' +
      "spec; priority admission controller computed 0 from the given PriorityClass name",
  ],
])("the priority of a pod with %s", (_, spec, store, expected) => {
  const request = creating("Pod", { spec: { ...spec } });
  const answer = message(() => podPriority(request, store));
  if (typeof expected === "string") expect(answer).toBe(expected);
  else expect((request.object as unknown as { spec: Fields }).spec).toEqual(expected);
});

test("only one priority class can be the default", () => {
  const request = creating("PriorityClass", { globalDefault: true });
  expect(message(() => onlyDefaultPriorityClass(request, empty))).toBe("admitted");
  expect(message(() => onlyDefaultPriorityClass(request, classes))).toBe(
    '403 priorityclasses.scheduling.k8s.io "o" is forbidden: ' +
      "PriorityClass low is already marked as default. Only one default can exist",
  );
});

test.each([
  [[], 2],
  [[{ operator: "Exists" }], 0],
  [[{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }], 1],
  [[{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoSchedule" }], 2],
])("a pod with the tolerations %j gets %d more", (tolerations, added) => {
  const request = creating("Pod", { spec: { tolerations } });
  defaultTolerations(request);
  const { spec } = request.object as unknown as { spec: { tolerations: unknown[] } };
  expect(spec.tolerations).toHaveLength(tolerations.length + added);
});

test("a new node gets the not-ready taint once", () => {
  const request = creating("Node", { spec: {} });
  taintNewNodes(request);
  taintNewNodes(request);
  const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];
  expect(request.object).toMatchObject({ spec: { taints } });
});

test('a claim gets the newest default class unless it names one or ""', () => {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const dated = (name: string, creationTimestamp: string) => ({
    metadata: { name, creationTimestamp, annotations },
  });
  const store = holding({
    "storageclasses.storage.k8s.io": [dated("old", "2024"), dated("new", "2025")],
  });
  const given = [{}, { storageClassName: "" }, { storageClassName: "mine" }].map((spec) => {
    const request = creating("PersistentVolumeClaim", { spec: { ...spec } });
    defaultStorageClass(request, store);
    return (request.object as unknown as { spec: Fields }).spec["storageClassName"];
  });
  expect(given).toEqual(["new", "", "mine"]);
});

test("a runtime class adds its overhead and scheduling to a pod", () => {
  const store = holding({
    "runtimeclasses.node.k8s.io": [
      classNamed("vm", {
        overhead: { podFixed: { cpu: "100m" } },
        scheduling: { nodeSelector: { kvm: "yes" }, tolerations: [{ key: "kvm" }] },
      }),
    ],
  });
  const request = creating("Pod", {
    spec: { runtimeClassName: "vm", tolerations: [{ key: "kvm" }] },
  });
  runtimeClass(request, store);
  expect(request.object).toMatchObject({
    spec: {
      overhead: { cpu: "100m" },
      nodeSelector: { kvm: "yes" },
      tolerations: [{ key: "kvm" }],
    },
  });
  expect(
    message(() => runtimeClass(creating("Pod", { spec: { runtimeClassName: "x" } }), store)),
  ).toBe('403 pods "o" is forbidden: pod rejected: RuntimeClass "x" not found');
  const clash = creating("Pod", { spec: { runtimeClassName: "vm", nodeSelector: { kvm: "no" } } });
  expect(message(() => runtimeClass(clash, store))).toMatch(/conflict: .* = yes; .* = no$/);
});

test("a pod without imagePullSecrets gets those of its ServiceAccount", () => {
  const accounts = [
    { metadata: { name: "default" }, imagePullSecrets: [{ name: "key" }] },
    { metadata: { name: "bare" } },
  ];
  const store = holding({ serviceaccounts: accounts });
  const secretsOf = (spec: Fields) => {
    const request = creating("Pod", { spec });
    pullSecrets(request, store);
    return (request.object as unknown as Pod).spec.imagePullSecrets;
  };
  expect(secretsOf({})).toEqual([{ name: "key" }]);
  expect(secretsOf({ serviceAccountName: "default" })).toEqual([{ name: "key" }]);
  expect(secretsOf({ imagePullSecrets: [{ name: "own" }] })).toEqual([{ name: "own" }]);
  expect(secretsOf({ serviceAccountName: "bare" })).toBeUndefined();
  expect(secretsOf({ serviceAccountName: "none" })).toBeUndefined();
});
