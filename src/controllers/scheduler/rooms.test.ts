import fc from "fast-check";
import { expect, test } from "vitest";
import type { Node, PodSpec } from "../../api/generated/core.ts";
import { needsOf } from "./needs.ts";
import { nodeFacts } from "./node-facts.ts";
import { Rooms } from "./rooms.ts";

function needs(cpu: number, hostPort: number) {
  const resources = { requests: { cpu: `${cpu}m` } };
  const ports = [{ containerPort: 1, hostPort }];
  return needsOf({ containers: [{ name: "c", resources, ports }] } as unknown as PodSpec);
}

const facts = (name: string) =>
  nodeFacts({ metadata: { name }, spec: {}, status: {} } as unknown as Node);

const key = fc.constantFrom("a", "b", "c", "d");
const node = fc.constantFrom("m", "n");
const step = fc.oneof(
  fc.record({
    kind: fc.constant("charge" as const),
    key,
    node,
    cpu: fc.integer({ min: 0, max: 9 }),
    port: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constant("release" as const), key }),
  fc.record({ kind: fc.constant("set" as const), node }),
  fc.record({ kind: fc.constant("remove" as const), node }),
);

test("a node's use is always the sum of the pods on it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const rooms = new Rooms();
      const placed = new Map<string, { node: string; cpu: number; port: number }>();
      for (const each of steps) {
        if (each.kind === "charge") {
          rooms.charge(each.key, { uid: "u", node: each.node, needs: needs(each.cpu, each.port) });
          placed.set(each.key, each);
        } else if (each.kind === "release") {
          expect(rooms.release(each.key)).toBe(placed.delete(each.key));
        } else if (each.kind === "set") rooms.setNode(facts(each.node));
        else rooms.removeNode(each.node);
      }
      for (const name of ["m", "n"]) rooms.setNode(facts(name));
      for (const { facts: known, use } of rooms.nodes) {
        const here = [...placed.values()].filter((pod) => pod.node === known.name);
        expect(use.pods).toBe(here.length);
        expect(use.amounts.get("cpu") ?? 0).toBe(here.reduce((sum, { cpu }) => sum + cpu, 0));
        const ports = here.map(({ port }) => port).filter((port) => port > 0);
        expect(use.hostPorts.map(({ port }) => port).sort()).toEqual(ports.sort());
      }
    }),
  );
});
