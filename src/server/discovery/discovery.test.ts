import { expect, test } from "vitest";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  versionInfo,
} from "./discovery.ts";
import type { OfferedKind } from "./offered.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

const status = { name: "status", verbs: ["get", "patch", "update"] } as const;

const job: OfferedKind = {
  group: "batch",
  version: "v1",
  kind: "Job",
  resource: "jobs",
  singular: "job",
  namespaced: true,
  categories: ["all"],
  subresources: [status],
};

const pod: OfferedKind = {
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  singular: "pod",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
  subresources: [
    status,
    { name: "log", verbs: ["get"] },
    { name: "exec", verbs: ["get", "create"], kind: "PodExecOptions" },
    { name: "eviction", verbs: ["create"], kind: "Eviction", group: "policy", version: "v1" },
  ],
};

const podTemplate: OfferedKind = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  resource: "podtemplates",
  singular: "podtemplate",
  namespaced: true,
};

const namespace: OfferedKind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  singular: "namespace",
  namespaced: false,
  shortNames: ["ns"],
  verbs: ["create", "get", "list", "watch", "update", "patch", "delete"],
  subresources: [status, { name: "finalize", verbs: ["update"] }],
};

const event: OfferedKind = {
  group: "",
  version: "v1",
  kind: "Event",
  resource: "events",
  singular: "event",
  namespaced: true,
  shortNames: ["ev"],
};

const newEvent: OfferedKind = {
  ...event,
  group: "events.k8s.io",
  storedAs: { resource: "events", toStored: (it) => it, fromStored: (it) => it },
};

const binding: OfferedKind = {
  group: "",
  version: "v1",
  kind: "Binding",
  resource: "bindings",
  singular: "binding",
  namespaced: true,
  verbs: ["create"],
};

const KINDS = [podTemplate, job, pod, newEvent, namespace, event, binding];

test("/api reports the address of the server", () => {
  expect(apiVersions("10.0.0.1:6443")).toEqual({
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "10.0.0.1:6443" }],
  });
});

test("groups are sorted by priority, not by name", () => {
  const { groups } = apiGroupList(KINDS) as { groups: { name: string }[] };
  expect(groups.map(({ name }) => name)).toEqual(["events.k8s.io", "batch"]);
});

test("a group lists its versions and prefers the newest", () => {
  const two = [job, { ...job, version: "v2" }];
  expect(apiGroup(two, "batch")).toEqual({
    kind: "APIGroup",
    apiVersion: "v1",
    name: "batch",
    versions: [
      { groupVersion: "batch/v2", version: "v2" },
      { groupVersion: "batch/v1", version: "v1" },
    ],
    preferredVersion: { groupVersion: "batch/v2", version: "v2" },
  });
  expect(apiGroup(two, "apps")).toBeUndefined();
});

test("the resources of batch/v1 are listed with the hash of their storage version", () => {
  expect(apiResourceList(KINDS, "batch", "v1")).toEqual({
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "batch/v1",
    resources: [
      {
        name: "jobs",
        singularName: "job",
        namespaced: true,
        kind: "Job",
        verbs: VERBS,
        categories: ["all"],
        storageVersionHash: "mudhfqk/qZY=",
      },
      {
        name: "jobs/status",
        singularName: "",
        namespaced: true,
        kind: "Job",
        verbs: ["get", "patch", "update"],
      },
    ],
  });
  expect(apiResourceList(KINDS, "batch", "v2")).toBeUndefined();
});

interface ResourceList {
  readonly apiVersion?: string;
  readonly resources: readonly { readonly name: string; readonly [fact: string]: unknown }[];
}

const core = apiResourceList(KINDS, "", "v1") as ResourceList;

test("subresources are sorted among resources, and the core list has no apiVersion", () => {
  expect(core.apiVersion).toBeUndefined();
  expect(core.resources.map(({ name }) => name)).toEqual([
    "bindings",
    "events",
    "namespaces",
    "namespaces/finalize",
    "namespaces/status",
    "pods",
    "pods/eviction",
    "pods/exec",
    "pods/log",
    "pods/status",
    "podtemplates",
  ]);
});

test.each([
  [
    {
      name: "bindings",
      singularName: "binding",
      namespaced: true,
      kind: "Binding",
      verbs: ["create"],
    },
  ],
  [
    {
      name: "namespaces",
      singularName: "namespace",
      namespaced: false,
      kind: "Namespace",
      verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
      shortNames: ["ns"],
      storageVersionHash: "Q3oi5N2YM8M=",
    },
  ],
  [
    {
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    },
  ],
  [
    {
      name: "pods/exec",
      singularName: "",
      namespaced: true,
      kind: "PodExecOptions",
      verbs: ["create", "get"],
    },
  ],
])("the core list describes %j", (resource) => {
  expect(core.resources.find(({ name }) => name === resource.name)).toEqual(resource);
});

test("both kinds of events have the same storage version hash", () => {
  const { resources } = apiResourceList(KINDS, "events.k8s.io", "v1") as ResourceList;
  expect(resources[0]?.["storageVersionHash"]).toBe("r2yiGXH7wu8=");
});

test("the aggregated document nests subresources and omits the group of built-in kinds", () => {
  expect(aggregatedDiscovery([pod], "core")).toMatchObject({
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [{ metadata: {}, versions: [{ version: "v1", freshness: "Current" }] }],
  });
  const document = aggregatedDiscovery([job], "groups") as {
    items: { metadata: { name: string } }[];
  };
  expect(document.items.find(({ metadata }) => metadata.name === "batch")).toEqual({
    metadata: { name: "batch" },
    versions: [
      {
        version: "v1",
        resources: [
          {
            resource: "jobs",
            responseKind: { group: "", version: "", kind: "Job" },
            scope: "Namespaced",
            singularResource: "job",
            verbs: VERBS,
            categories: ["all"],
            subresources: [
              {
                subresource: "status",
                responseKind: { group: "", version: "", kind: "Job" },
                verbs: ["get", "patch", "update"],
              },
            ],
          },
        ],
        freshness: "Current",
      },
    ],
  });
});

test("an aggregated subresource with a payload of another group names that group", () => {
  expect(JSON.stringify(aggregatedDiscovery([pod], "core"))).toContain(
    JSON.stringify({
      subresource: "eviction",
      responseKind: { group: "policy", version: "v1", kind: "Eviction" },
      verbs: ["create"],
    }),
  );
});

test("the version is that of the emulated release", () => {
  expect(versionInfo()).toMatchObject({ major: "1", minor: "36", gitVersion: "v1.36.4" });
});
