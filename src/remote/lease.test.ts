import { expect, test } from "vitest";
import type { Lease, LeaseSpec } from "../api/generated/coordination.ts";
import { bidFor, composeLease, composeRelease, DEFAULT_TERMS, observeLease } from "./lease.ts";

const ME = { identity: "me", namespace: "ns", name: "lease" };
const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = "2026-01-01T00:00:00.000000Z";

const held = (spec: LeaseSpec, resourceVersion = "1"): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "lease", namespace: "ns", resourceVersion },
  spec,
});

const bid = (lease: Lease | undefined, sinceMs: number, monotonicMs: number) =>
  bidFor(ME, { lease, sinceMs }, DEFAULT_TERMS, { nowMs: NOW_MS, monotonicMs });

test("a missing lease is created", () => {
  expect(bid(undefined, 0, 0)).toEqual({
    kind: "create",
    lease: {
      ...held({}),
      metadata: { name: "lease", namespace: "ns" },
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: NOW,
        renewTime: NOW,
        leaseTransitions: 0,
      },
    },
  });
});

test.each([
  ["of another candidate that was just renewed", "other", 0, 15_000],
  ["of another candidate that is nearly expired", "other", 14_999, 1],
])("a lease %s is waited for", (_, holderIdentity, elapsedMs, delayMs) => {
  // The times in the lease are ignored, because clocks differ.
  const lease = held({ holderIdentity, renewTime: "1999-01-01T00:00:00.000000Z" });
  expect(bid(lease, 100, 100 + elapsedMs)).toEqual({ kind: "wait", delayMs });
});

test.each([
  ["of another candidate that has expired", { holderIdentity: "other" }, 15_000, 3],
  ["that was released", { holderIdentity: "" }, 0, 3],
  ["that we already hold", { holderIdentity: "me" }, 0, 2],
  [
    "with a shorter duration of its own",
    { holderIdentity: "other", leaseDurationSeconds: 1 },
    1_000,
    3,
  ],
])("a lease %s is taken", (_, spec, elapsedMs, leaseTransitions) => {
  const taken = bid(held({ leaseTransitions: 2, ...spec }), 0, elapsedMs);
  expect(taken).toMatchObject({
    kind: "take",
    lease: {
      metadata: { resourceVersion: "1" },
      spec: { holderIdentity: "me", leaseTransitions, renewTime: NOW },
    },
  });
});

test("only a change of the lease restarts the wait", () => {
  const first = observeLease(undefined, held({}, "1"), 100);
  expect(observeLease(first, held({}, "1"), 200).sinceMs).toBe(100);
  expect(observeLease(first, held({}, "2"), 200).sinceMs).toBe(200);
  expect(observeLease(first, undefined, 200).sinceMs).toBe(200);
});

test("a renewal keeps the acquire time, and a released lease has no holder", () => {
  const mine = composeLease(ME, undefined, DEFAULT_TERMS, NOW_MS);
  const renewed = composeLease(ME, mine, DEFAULT_TERMS, NOW_MS + 1_000);
  expect(renewed.spec).toEqual({ ...mine.spec, renewTime: "2026-01-01T00:00:01.000000Z" });
  const { spec } = composeRelease(renewed, NOW_MS + 2_000);
  expect(spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
});
