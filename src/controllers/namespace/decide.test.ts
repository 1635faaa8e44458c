import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import type { Namespace, Pod } from "../../api/generated/core.ts";
import { configMaps, pods } from "../../api/resources.ts";
import { decide } from "./decide.ts";
import { failedRemains, graceOf, type Remains, remainsOf } from "./remains.ts";

const nowMs = Date.parse("2026-01-01T00:00:10Z");

function aNamespace(...finalizers: string[]): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "x", deletionTimestamp: "2026-01-01T00:00:00Z" },
    spec: { finalizers },
    status: { phase: "Terminating" },
  };
}

const held = podBody({ name: "p", finalizers: ["example.com/hold"] });
const free = podBody({ name: "p" });

const empty = remainsOf(configMaps, "x", [], 0);
const ending = remainsOf(pods, "x", [free], 30);
const finalizing = remainsOf(configMaps, "x", [held], 0);
const stuck = remainsOf(pods, "x", [free], 0);
const STUCK = "unexpected items still remain in namespace: x for gvr: /v1, Resource=pods";

test.each<[string, readonly Remains[], object]>([
  ["is empty", [empty, empty], { kind: "finalize", finalizers: [] }],
  ["has terminating pods", [ending], { kind: "wait", delayMs: 16_000 }],
  ["has objects with finalizers", [empty, finalizing], { kind: "wait", delayMs: 8000 }],
  ["has both", [finalizing, ending], { kind: "wait", delayMs: 16_000 }],
  ["has objects that are not deleted in time", [stuck, ending], { kind: "remain", problem: STUCK }],
  ["cannot be listed", [failedRemains(pods, "no", 30)], { kind: "fail", problem: "no" }],
])("a namespace that %s", (_, remains, next) => {
  expect(decide({ namespace: aNamespace("kubernetes"), remains, nowMs }).next).toEqual(next);
});

test("finalizers of others are kept", () => {
  const namespace = aNamespace("example.com/b", "kubernetes", "example.com/a");
  const { next } = decide({ namespace, remains: [], nowMs });
  expect(next).toEqual({ kind: "finalize", finalizers: ["example.com/a", "example.com/b"] });
});

test("a status is written only if it has changed", () => {
  const namespace = aNamespace("kubernetes");
  const { status } = decide({ namespace, remains: [ending], nowMs });
  expect(status?.conditions).toHaveLength(5);
  expect(status?.phase).toBe("Terminating");
  const told = { ...namespace, status: status ?? {} };
  expect(decide({ namespace: told, remains: [ending], nowMs }).status).toBeUndefined();
});

function aPod(terminationGracePeriodSeconds: number, phase = "Running"): Pod {
  return { ...podBody({ name: "p" }, { terminationGracePeriodSeconds }), status: { phase } };
}

test.each<[string, readonly Pod[], number]>([
  ["no pods", [], 0],
  ["the longest of several", [aPod(30), aPod(60), aPod(20)], 60],
  ["pods that have ended", [aPod(60, "Succeeded"), aPod(60, "Failed"), aPod(11)], 11],
  ["pods whose grace period has passed", [aPod(10)], 0],
])("the grace period of %s", (_, given, seconds) => {
  expect(graceOf(given, { deletedAtMs: nowMs - 10_000, nowMs })).toBe(seconds);
});
