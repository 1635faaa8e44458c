import { expect, test } from "vitest";
import type { PodSpec } from "../../api/generated/core.ts";
import { needsOf } from "./needs.ts";
import { PATIENCE_MS, type PendingPod, PendingPods, RETELL_MS } from "./pending-pods.ts";

function aPod(key: string, { priority = 0, cpu = "0", sinceMs = 0 } = {}): PendingPod {
  const resources = { requests: { cpu } };
  const spec = { containers: [{ name: "c", resources }], priority } as unknown as PodSpec;
  return { key, uid: key, needs: needsOf(spec), sinceMs };
}

function pending(...pods: readonly PendingPod[]): PendingPods {
  const all = new PendingPods();
  for (const pod of pods) all.add(pod);
  return all;
}

/** Takes pods one after the other until none is left to try. */
function drain(pods: PendingPods): string[] {
  const order: string[] = [];
  for (let pod = pods.first(); pod; pod = pods.first()) {
    order.push(pod.key);
    pods.remove(pod.key);
  }
  return order;
}

const FULL = { message: "full", isHopeless: false };
const HOPELESS = { message: "never", isHopeless: true };

const told = (pods: PendingPods, nowMs: number, limit = 100) => {
  const { pods: untold, delayMs } = pods.takeUntold(nowMs, limit);
  return [untold.map(({ pod, message }) => `${pod.key} ${message}`), delayMs];
};

test("pods are ordered by priority, then by arrival", () => {
  const pods = pending(
    aPod("a"),
    aPod("b", { priority: 5, cpu: "1" }),
    aPod("c", { cpu: "1" }),
    aPod("d"),
    aPod("e", { priority: 5 }),
  );
  expect(drain(pods)).toEqual(["b", "e", "a", "c", "d"]);
  expect(pods.size).toBe(0);
});

test("a refusal holds for all with the same needs, until something changes", () => {
  const large = aPod("large", { cpu: "9" });
  const pods = pending(large, aPod("small"), aPod("larger", { cpu: "9" }));
  pods.refuse(large, FULL);
  pods.add(aPod("late", { cpu: "9" }));
  expect(drain(pods)).toEqual(["small"]);
  expect([pods.size, pods.refused()]).toEqual([3, 3]);
  pods.reconsider();
  expect(drain(pods)).toEqual(["large", "larger", "late"]);
});

test("a removed pod is skipped, and a new pod of the same name is queued anew", () => {
  const pods = pending(aPod("a"), aPod("b"), aPod("c"));
  pods.remove("a");
  pods.remove("b");
  pods.add(aPod("b"));
  expect(drain(pods)).toEqual(["c", "b"]);
});

test("thousands of pods leave no memory behind", () => {
  const pods = new PendingPods();
  const keys = Array.from({ length: 5000 }, (_, each) => `p${each}`);
  for (const key of keys) pods.add(aPod(key));
  expect(drain(pods)).toEqual(keys);
  expect([pods.size, pods.refused()]).toEqual([0, 0]);
});

test("a refused pod is reported after a delay, once", () => {
  const first = aPod("a");
  const pods = pending(first, aPod("b", { sinceMs: 300 }));
  pods.refuse(first, FULL);
  expect(told(pods, 0)).toEqual([[], PATIENCE_MS]);
  expect(told(pods, PATIENCE_MS)).toEqual([["a full"], 300]);
  expect(told(pods, PATIENCE_MS + 300)).toEqual([["b full"], undefined]);
  expect(told(pods, PATIENCE_MS + 400)).toEqual([[], undefined]);
  pods.reconsider();
  pods.refuse(first, FULL);
  expect(told(pods, PATIENCE_MS + 500)).toEqual([[], undefined]);
});

test("a hopeless refusal is reported at once, a limited number at a time", () => {
  const first = aPod("a");
  const pods = pending(first, aPod("b"), aPod("c"));
  pods.refuse(first, HOPELESS);
  expect(told(pods, 0, 2)).toEqual([["a never", "b never"], 0]);
  expect(told(pods, 0, 2)).toEqual([["c never"], undefined]);
});

test("a new reason is reported again, but not with every change", () => {
  const first = aPod("a");
  const pods = pending(first, aPod("b"));
  pods.refuse(first, HOPELESS);
  expect(told(pods, 0)).toEqual([["a never", "b never"], undefined]);
  pods.refuse(first, { ...HOPELESS, message: "other" });
  expect(told(pods, 4000)).toEqual([[], RETELL_MS - 4000]);
  expect(told(pods, RETELL_MS)).toEqual([["a other", "b other"], undefined]);
});

test("a refusal whose write failed is reported again", () => {
  const first = aPod("a");
  const pods = pending(first);
  pods.refuse(first, HOPELESS);
  told(pods, 0);
  pods.retell(first);
  expect(told(pods, 1)).toEqual([["a never"], undefined]);
});
