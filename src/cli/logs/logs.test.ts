import { expect, test } from "vitest";
import type { Pod } from "../../api/generated/core.ts";
import { chooseContainers } from "./choose-containers.ts";
import { orderForLogs } from "./order-pods.ts";
import { prefixLines } from "./prefix-lines.ts";

function aPod(fields: { readonly [key: string]: unknown } = {}): Pod {
  const containers = [{ name: "a" }, { name: "b" }];
  const { spec = {}, status = {}, ...metadata } = fields;
  return { metadata, spec: { containers, ...(spec as object) }, status } as unknown as Pod;
}

test("of several containers the first is taken, and it is said", () => {
  const pod = aPod({ spec: { initContainers: [{ name: "i" }] } });
  expect(chooseContainers(pod, undefined, false)).toEqual({
    names: ["a"],
    note: 'Defaulted container "a" out of: a, b, i (init)',
  });
  expect(chooseContainers(pod, "i", false)).toEqual({ names: ["i"] });
  expect(chooseContainers(pod, undefined, true)).toEqual({ names: ["i", "a", "b"] });
  expect(() => chooseContainers(pod, "none", false)).toThrow("container none is not valid");
  const annotations = { "kubectl.kubernetes.io/default-container": "b" };
  expect(chooseContainers(aPod({ annotations }), undefined, false)).toEqual({ names: ["b"] });
});

test("the pod whose log tells most comes first", () => {
  const nodeName = "n";
  const ready = (at: string) => [{ type: "Ready", status: "True", lastTransitionTime: at }];
  const restarts = (restartCount: number) => [{ restartCount }];
  const on = (name: string, status: object = {}, more: object = {}) =>
    aPod({ name, spec: { nodeName }, status, ...more });
  const pods = [
    aPod({ name: "unassigned" }),
    on("pending", { phase: "Pending" }),
    on("newer", { phase: "Running" }, { creationTimestamp: "2026-01-02T00:00:00Z" }),
    on("older", { phase: "Succeeded" }, { creationTimestamp: "2026-01-01T00:00:00Z" }),
    on("restarted", { phase: "Running", containerStatuses: restarts(3) }),
    on("ready later", { phase: "Running", conditions: ready("2026-01-02T00:00:00Z") }),
    on("ready", { phase: "Running", conditions: ready("2026-01-01T00:00:00Z") }),
  ];
  expect(orderForLogs(pods).map(({ metadata }) => metadata.name)).toEqual([
    ...["ready", "ready later", "restarted", "older", "newer", "pending", "unassigned"],
  ]);
});

test.each([
  [["one\ntw", "o\n"], "> one\n> two\n"],
  [["no end"], "> no end"],
  [["a", "b", "\n\n"], "> ab\n> \n"],
  [[], ""],
])("%j comes in whole lines", async (pieces, text) => {
  const bytes = (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })();
  let seen = "";
  for await (const piece of prefixLines(bytes, "> ")) seen += Buffer.from(piece).toString("utf8");
  expect(seen).toBe(text);
});

test("a line without end is passed on in parts", async () => {
  const long = Buffer.alloc(3_000_000, "x");
  const parts: number[] = [];
  const bytes = (async function* () {
    for (let at = 0; at < long.length; at += 64_000) yield long.subarray(at, at + 64_000);
  })();
  for await (const piece of prefixLines(bytes, "")) parts.push(piece.length);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.reduce((sum, length) => sum + length, 0)).toBe(long.length);
});
