import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList } from "./discovery.ts";
import type { OfferedKind } from "./offered.ts";

interface Recorded {
  readonly kind: string;
  readonly groupVersion?: string;
  readonly name?: string;
  readonly groups?: readonly { readonly name: string }[];
  readonly items?: readonly Group[];
}

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly Resource[];
  }[];
}

interface Resource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: NonNullable<OfferedKind["verbs"]>;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
}

interface Subresource {
  readonly subresource: string;
  readonly responseKind: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
  readonly verbs: NonNullable<OfferedKind["subresources"]>[number]["verbs"];
}

const FILE = new URL("../../../test/conformance/recordings/api/discovery.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(FILE, "utf8")) as {
  cases: { requires?: string[]; steps: { response: { status: number; body: Recorded } }[] }[];
};
const bodies = cases
  .filter(({ requires }) => requires === undefined)
  .flatMap(({ steps }) => steps.map(({ response }) => response.body))
  .filter((body) => body !== null && typeof body === "object");
const aggregated = bodies.filter(({ kind }) => kind === "APIGroupDiscoveryList");
const kinds = aggregated.flatMap(({ items = [] }) => items.flatMap(kindsOf));

test("the kinds in the recorded aggregated documents produce the same documents", () => {
  expect(aggregated).toHaveLength(2);
  expect([aggregatedDiscovery(kinds, "core"), aggregatedDiscovery(kinds, "groups")]).toEqual(
    aggregated,
  );
});

test.each(bodies.filter(({ kind }) => kind === "APIResourceList"))(
  "recorded: the resources of $groupVersion",
  (recorded) => {
    const [version = "", group = ""] = (recorded.groupVersion ?? "").split("/").reverse();
    expect(apiResourceList(kinds, group, version)).toEqual(recorded);
  },
);

test.each(bodies.filter(({ kind }) => kind === "APIGroup"))("recorded: group $name", (recorded) => {
  expect(apiGroup(kinds, recorded.name ?? "")).toEqual(recorded);
});

test("recorded: the list of groups", () => {
  const longest = bodies.find(({ groups = [] }) => groups.length > 1);
  expect(apiGroupList(kinds)).toEqual(longest);
});

function kindsOf({ metadata, versions }: Group): OfferedKind[] {
  return versions.flatMap(({ version, resources }) =>
    resources.map((resource) => kindOf({ group: metadata.name ?? "", version }, resource)),
  );
}

function kindOf(where: { group: string; version: string }, resource: Resource): OfferedKind {
  const { shortNames, categories, subresources = [] } = resource;
  const viewOfCore = where.group === "events.k8s.io";
  return {
    ...where,
    kind: resource.responseKind.kind,
    resource: resource.resource,
    singular: resource.singularResource,
    namespaced: resource.scope === "Namespaced",
    verbs: resource.verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    subresources: subresources.map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      verbs,
      kind: responseKind.kind,
      ...(responseKind.group === "" ? {} : responseKind),
    })),
    ...(viewOfCore
      ? { storedAs: { resource: "events", toStored: (it) => it, fromStored: (it) => it } }
      : {}),
  };
}
