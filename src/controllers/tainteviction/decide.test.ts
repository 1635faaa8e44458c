import { expect, test } from "vitest";
import type { Pod, Taint, Toleration } from "../../api/generated/core.ts";
import { stayMs } from "./decide.ts";

const driving = (key: string): Taint => ({ key, effect: "NoExecute" });
const bears = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

const FOR_EVER = Number.POSITIVE_INFINITY;

test.each<[string, readonly Toleration[], readonly Taint[], number]>([
  ["no taint", [], [], FOR_EVER],
  ["a NoSchedule taint", [], [{ key: "a", effect: "NoSchedule" }], FOR_EVER],
  ["a taint it does not tolerate", [bears("b")], [driving("a")], 0],
  ["a taint it tolerates", [bears("a")], [driving("a")], FOR_EVER],
  ["a taint it tolerates for a while", [bears("a", 3)], [driving("a")], 3000],
  ["a taint it tolerates for a negative time", [bears("a", -3)], [driving("a")], 0],
  [
    "two taints: the shorter time",
    [bears("a", 9), bears("b", 3)],
    [driving("a"), driving("b")],
    3000,
  ],
  ["two taints, of which one is not tolerated", [bears("a", 9)], [driving("a"), driving("b")], 0],
  [
    "two tolerations of one taint: the first",
    [bears("a"), bears("a", 3)],
    [driving("a")],
    FOR_EVER,
  ],
])("on a node with %s", (_, tolerations, taints, expected) => {
  expect(stayMs({ spec: { tolerations } } as unknown as Pod, taints)).toBe(expected);
});
