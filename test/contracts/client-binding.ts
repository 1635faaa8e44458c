/** The part of the contract about bind. */
import { describe, expect, test } from "vitest";
import type { PodName } from "../../src/api/client.ts";
import { pods } from "../../src/api/resources.ts";
import { podBody } from "../builders/resources.ts";
import type { Open } from "./client-contract.ts";
import { refusalCode } from "./refusal.ts";

const A = { namespace: "default", name: "a" };

export function bindingContract(open: Open): void {
  describe("bind", () => {
    test("sets the node of a pod and changes nothing else in its spec", async () => {
      const { client } = await open();
      const made = await client.create(pods, podBody({ name: "a", labels: { on: "yes" } }));
      await client.bind({ ...A, uid: made.metadata.uid ?? "" }, "n");
      const bound = await client.get(pods, A);
      expect(bound.spec).toEqual({ ...made.spec, nodeName: "n" });
      expect(bound.metadata.labels).toEqual({ on: "yes" });
      expect(bound.metadata.generation).toBe(made.metadata.generation);
      expect(bound.status.conditions).toMatchObject([{ type: "PodScheduled", status: "True" }]);
      expect(bound.status.qosClass).toBe(made.status.qosClass);
    });

    test.each<[string, PodName, string, string]>([
      ["a missing pod", { ...A, name: "gone" }, "n", "404 NotFound"],
      ["another pod of the same name", { ...A, uid: "other" }, "n", "409 Conflict"],
      ["a pod that already has a node", { ...A, name: "placed" }, "n", "409 Conflict"],
      ["a pod to no node", A, "", "500 "],
    ])("of %s is rejected", async (_, pod, node, expected) => {
      const { client } = await open();
      await client.create(pods, podBody({ name: "placed" }, { nodeName: "m" }));
      const made = await client.create(pods, podBody({ name: "a" }));
      expect(await refusalCode(client.bind(pod, node))).toBe(expected);
      expect(await client.get(pods, A)).toEqual(made);
    });
  });
}
