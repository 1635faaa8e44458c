import fc from "fast-check";
import { expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "../../api/generated/discovery.ts";
import { type PortGroup, portsKey } from "./slice-endpoints.ts";
import { planSlices, type SliceContent, type SlicePlan } from "./slice-plan.ts";

const LABELS = { app: "x" };
const HTTP = [{ name: "http", port: 80, protocol: "TCP" }];

function anEndpoint(number: number, ready = true): Endpoint {
  const name = `p${number}`;
  return {
    addresses: [`10.0.${number >> 8}.${number & 255}`],
    conditions: { ready, serving: ready, terminating: false },
    targetRef: { kind: "Pod", namespace: "default", name, uid: `uid-${name}` },
  };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => anEndpoint(from + at));

function aSlice(name: string, content: SliceContent, labels = LABELS): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, labels },
    addressType: "IPv4",
    endpoints: content.endpoints,
    ports: content.ports,
  };
}

function groupsOf(...groups: readonly PortGroup[]): Map<string, PortGroup> {
  return new Map(groups.map((group) => [portsKey(group.ports), group]));
}

/** Applies the plan and returns the resulting slices. */
function carriedOut(existing: readonly EndpointSlice[], plan: SlicePlan): EndpointSlice[] {
  const left = existing.filter((slice) => !plan.remove.includes(slice));
  const updated = left.map((slice) => {
    const change = plan.update.find((each) => each.slice === slice);
    return change ? aSlice(slice.metadata.name ?? "", change.content) : slice;
  });
  return [...updated, ...plan.create.map((content, at) => aSlice(`new-${at}`, content))];
}

const sizes = (contents: readonly SliceContent[]) => contents.map((each) => each.endpoints.length);

test("a slice holds up to a hundred endpoints", () => {
  const plan = planSlices([], groupsOf({ ports: HTTP, endpoints: numbered(0, 250) }), LABELS);
  expect(sizes(plan.create)).toEqual([100, 100, 50]);
});

test("without endpoints there is one empty slice, which is kept", () => {
  const plan = planSlices([], groupsOf(), LABELS);
  expect(plan).toEqual({ create: [{ ports: [], endpoints: [] }], update: [], remove: [] });
  const placeholder = aSlice("a", { ports: [], endpoints: [] });
  expect(planSlices([placeholder], groupsOf(), LABELS)).toEqual({
    create: [],
    update: [],
    remove: [],
  });
});

test("when the last endpoint is removed, its slice is reused as the empty one", () => {
  const slice = aSlice("a", { ports: HTTP, endpoints: numbered(0, 1) });
  const plan = planSlices([slice], groupsOf(), LABELS);
  expect(plan).toEqual({
    create: [],
    update: [{ slice, content: { ports: [], endpoints: [] } }],
    remove: [],
  });
});

test("a new endpoint is added to a slice with room, with one write", () => {
  const full = aSlice("full", { ports: HTTP, endpoints: numbered(0, 100) });
  const half = aSlice("half", { ports: HTTP, endpoints: numbered(100, 150) });
  const few = aSlice("few", { ports: HTTP, endpoints: numbered(150, 160) });
  const endpoints = numbered(0, 161);
  const plan = planSlices([full, half, few], groupsOf({ ports: HTTP, endpoints }), LABELS);
  expect(plan.update.map(({ slice }) => slice.metadata.name)).toEqual(["half"]);
  expect(plan.create).toEqual([]);
});

test("changed labels of the Service are written to every slice", () => {
  const slice = aSlice("a", { ports: HTTP, endpoints: numbered(0, 1) });
  const groups = groupsOf({ ports: HTTP, endpoints: numbered(0, 1) });
  expect(planSlices([slice], groups, { app: "y" }).update).toHaveLength(1);
});

test("an endpoint that becomes ready is updated in its slice", () => {
  const slice = aSlice("a", { ports: HTTP, endpoints: [anEndpoint(0, false), anEndpoint(1)] });
  const endpoints = [anEndpoint(1), anEndpoint(0)];
  const plan = planSlices([slice], groupsOf({ ports: HTTP, endpoints }), LABELS);
  expect(plan.update[0]?.content.endpoints).toEqual([anEndpoint(0), anEndpoint(1)]);
});

const wave = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });

test("after any changes the slices hold exactly the wanted endpoints", () => {
  fc.assert(
    fc.property(fc.array(wave, { minLength: 1, maxLength: 5 }), (waves) => {
      let slices: EndpointSlice[] = [];
      for (const numbers of waves) {
        const endpoints = numbers.map((number) => anEndpoint(number));
        const groups = endpoints.length > 0 ? groupsOf({ ports: HTTP, endpoints }) : groupsOf();
        slices = carriedOut(slices, planSlices(slices, groups, LABELS));
        const held = slices.flatMap((slice) => slice.endpoints ?? []);
        const names = held.map(({ targetRef }) => targetRef?.name ?? "");
        expect(names.toSorted()).toEqual(numbers.map((number) => `p${number}`).toSorted());
        expect(slices.every((slice) => (slice.endpoints ?? []).length <= 100)).toBe(true);
        expect(slices.length).toBeGreaterThan(0);
        const again = planSlices(slices, groups, LABELS);
        expect([again.create, again.update, again.remove].flat()).toEqual([]);
      }
    }),
  );
});
