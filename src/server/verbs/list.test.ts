import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

interface List {
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

function get(server: TestServer, url: string): List {
  const { status, text } = ask(server, "GET", url);
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  return JSON.parse(text) as List;
}

function names(server: TestServer, url: string): string[] {
  return get(server, url).items.map(({ metadata }) => metadata.name);
}

function filled(...added: string[]): TestServer {
  const server = aServer();
  for (const name of added) {
    ask(server, "POST", CONFIG_MAPS, { metadata: { name, labels: { first: name.slice(0, 1) } } });
  }
  return server;
}

test('objects are sorted by "namespace/name" as one text', () => {
  const server = aServer();
  for (const namespace of ["a", "a-b"]) {
    ask(server, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    ask(server, "POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "x" } });
  }
  const { items } = get(server, "/api/v1/configmaps");
  // "-" comes before "/".
  expect(items.map(({ metadata }) => metadata)).toMatchObject([
    { namespace: "a-b", name: "x" },
    { namespace: "a", name: "x" },
  ]);
});

test("a page reports remaining items, but not with a selector", () => {
  const server = filled("a1", "a2", "b1");
  expect(get(server, `${CONFIG_MAPS}?limit=1`).metadata.remainingItemCount).toBe(2);
  const selected = get(server, `${CONFIG_MAPS}?limit=1&labelSelector=first%3Da`);
  expect(selected.metadata.continue).toBeDefined();
  expect(selected.metadata).not.toHaveProperty("remainingItemCount");
});

test("resourceVersion=0 returns the whole newest list, whatever the limit", () => {
  const server = filled("a", "b", "c");
  const list = get(server, `${CONFIG_MAPS}?limit=1&resourceVersion=0`);
  expect(list.items).toHaveLength(3);
  expect(list.metadata).not.toHaveProperty("continue");
});

test("resourceVersion means not older than, or exactly with a limit", () => {
  const server = filled("a", "b");
  const { resourceVersion } = get(server, CONFIG_MAPS).metadata;
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  const at = `resourceVersion=${resourceVersion}`;
  expect(names(server, `${CONFIG_MAPS}?${at}`)).toEqual(["b"]);
  expect(names(server, `${CONFIG_MAPS}?${at}&limit=5`)).toEqual(["a", "b"]);
  expect(names(server, `${CONFIG_MAPS}?${at}&limit=5&resourceVersionMatch=NotOlderThan`)).toEqual([
    "b",
  ]);
  const exact = get(server, `${CONFIG_MAPS}?${at}&resourceVersionMatch=Exact`);
  expect(exact.items).toHaveLength(2);
  expect(exact.metadata.resourceVersion).toBe(resourceVersion);
});

test.each([
  ["resourceVersion=99999", 504, "Timeout: Too large resource version: 99999, current: 6"],
  [
    "resourceVersion=new",
    400,
    'invalid resource version: resourceVersion: Invalid value: "new": ' +
      'strconv.ParseUint: parsing "new": invalid syntax',
  ],
  ["limit=many", 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
  [
    "resourceVersionMatch=Exact",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
  ],
  [
    "resourceVersionMatch=Exact&resourceVersion=0",
    422,
    'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
  ],
  [
    "sendInitialEvents=true",
    422,
    'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: ' +
      "sendInitialEvents is forbidden for list",
  ],
])("%s is rejected", (query, status, message) => {
  expect(ask(aServer(), "GET", `${CONFIG_MAPS}?${query}`)).toMatchObject({
    status,
    object: { message },
  });
});

test("an expired continue token is answered with a token for the newest state", () => {
  const server = aServer({ historyLimits: { changes: 4 } });
  for (const name of ["a", "b", "c"]) ask(server, "POST", CONFIG_MAPS, { metadata: { name } });
  const token = get(server, `${CONFIG_MAPS}?limit=1`).metadata.continue;
  for (let change = 0; change < 10; change++) {
    ask(server, "PATCH", `${CONFIG_MAPS}/a`, { data: { change: String(change) } });
  }
  ask(server, "POST", CONFIG_MAPS, { metadata: { name: "d" } });
  const expired = ask(server, "GET", `${CONFIG_MAPS}?limit=9&continue=${token}`);
  expect([expired.status, expired.object]).toMatchObject([410, { reason: "Expired" }]);
  const offered = (expired.object as unknown as List).metadata.continue;
  expect(names(server, `${CONFIG_MAPS}?limit=9&continue=${offered}`)).toEqual(["b", "c", "d"]);
});

test("pods are found by node and job index, and the rest of the selector applies", () => {
  const server = aServer();
  const pods = "/api/v1/namespaces/default/pods";
  const add = (name: string, nodeName: string, labels: { [key: string]: string }) =>
    ask(server, "POST", pods, podBody({ name, labels }, { nodeName }));
  add("a", "n1", { "job-name": "j", tier: "x" });
  add("b", "n1", { "job-name": "j", tier: "y" });
  add("c", "n2", { "job-name": "k", tier: "x" });
  const by = (labels: string, fields = "") => {
    const query = new URLSearchParams({ labelSelector: labels, fieldSelector: fields });
    return names(server, `${pods}?${query}`);
  };
  expect(by("job-name=j")).toEqual(["a", "b"]);
  expect(by("job-name=j,tier=x")).toEqual(["a"]);
  expect(by("", "spec.nodeName=n1")).toEqual(["a", "b"]);
  expect(by("tier=y", "spec.nodeName=n1")).toEqual(["b"]);
  expect(by("job-name=j", "spec.nodeName=n2")).toEqual([]);
});

test("both event groups show the same events", () => {
  const server = aServer();
  const event = {
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", namespace: "default", name: "p", uid: "u" },
    reason: "Because",
    message: "it happened",
    type: "Normal",
  };
  const core = "/api/v1/namespaces/default/events";
  const group = "/apis/events.k8s.io/v1/namespaces/default/events";
  expect(ask(server, "POST", core, event).status).toBe(201);
  expect(get(server, group)).toMatchObject({
    kind: "EventList",
    items: [{ regarding: { name: "p" }, note: "it happened" }],
  });
  expect(names(server, `${core}?fieldSelector=involvedObject.uid%3Du`)).toEqual(["e"]);
  expect(names(server, `${group}?fieldSelector=regarding.uid%3Du`)).toEqual(["e"]);
});

test.each([
  ["resourceVersion=abc", 400, "invalid resource version: resourceVersion: Invalid value"],
  ["resourceVersion=18446744073709551616", 400, "value out of range"],
  [
    "resourceVersion=18446744073709551615&resourceVersionMatch=Exact",
    504,
    "Too large resource version: 18446744073709551615, current: ",
  ],
  ["limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0", 400, "encoded start key empty"],
  [
    "watch=1&resourceVersionMatch=Exact",
    422,
    'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
  ],
  [
    "watch=1&continue=x",
    422,
    "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
  ],
])("a request with %s is rejected with %d", (query, status, message) => {
  expect(ask(filled("a"), "GET", `${CONFIG_MAPS}?${query}`)).toMatchObject({
    status,
    object: { message: expect.stringContaining(message) },
  });
});

test("continue must not be combined with a resourceVersion", () => {
  const server = filled("a", "b");
  const token = get(server, `${CONFIG_MAPS}?limit=1`).metadata.continue;
  expect(names(server, `${CONFIG_MAPS}?continue=${token}`)).toEqual(["b"]);
  const both = ask(server, "GET", `${CONFIG_MAPS}?continue=${token}&resourceVersion=1`);
  expect(both).toMatchObject({
    status: 400,
    object: { message: "specifying resource version is not allowed when using continue" },
  });
});
