import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storedPod } from "../../../test/builders/pod.ts";
import type { Pod } from "../../api/generated/core.ts";
import { LOOPBACK_PODS, PodAddresses } from "./pod-addresses.ts";

const SMALL = { cidr: { network: [10, 0, 0, 0], prefixLength: 28 }, reserved: 2 };

function aPod(uid: string, podIP?: string): Pod {
  return storedPod({ metadata: { uid }, status: podIP === undefined ? {} : { podIP } });
}

function ofJob(uid: string, index: number, job = "job"): Pod {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: job, controller: true };
  const annotations = { "batch.kubernetes.io/job-completion-index": String(index) };
  return storedPod({ metadata: { uid, annotations, ownerReferences: [owner] } });
}

describe("a pod", () => {
  test("has an address of loopback that is nobody else's", () => {
    const addresses = new PodAddresses(LOOPBACK_PODS);
    const taken = Array.from({ length: 5000 }, (_, at) => addresses.take(aPod(`uid-${at}`)) ?? "");
    expect(new Set(taken).size).toBe(5000);
    const second = taken.map((address) => Number(address.split(".")[1]));
    expect(taken.every((address) => address.startsWith("127."))).toBe(true);
    expect(second.every((byte) => byte >= 64 && byte < 128)).toBe(true);
  });

  test("keeps it, and has the same after a restart without anything being stored", () => {
    const addresses = new PodAddresses(LOOPBACK_PODS);
    const address = addresses.take(aPod("a"));
    expect(addresses.take(aPod("a"))).toBe(address);
    expect(new PodAddresses(LOOPBACK_PODS).take(aPod("a"))).toBe(address);
  });

  test("has the address that its status tells, whatever would be its own", () => {
    expect(new PodAddresses(SMALL).take(aPod("a", "10.0.0.9"))).toBe("10.0.0.9");
  });

  test.each(["10.0.0.1", "10.0.0.15", "10.0.1.0", "9.255.255.255", "::1", "what"])(
    "does not keep %s, which is not of the range",
    (stored) => expect(new PodAddresses(SMALL).take(aPod("a", stored))).not.toBe(stored),
  );
});

describe("pods of an Indexed Job", () => {
  test("have an address by their index: who replaces another has the same", () => {
    const addresses = new PodAddresses(LOOPBACK_PODS);
    const first = addresses.take(ofJob("a", 3));
    expect(addresses.take(ofJob("b", 3))).toBe(first);
    addresses.release("a");
    expect(addresses.take(ofJob("c", 3))).toBe(first);
    expect(addresses.take(ofJob("d", 4))).not.toBe(first);
    expect(addresses.take(ofJob("e", 3, "other"))).not.toBe(first);
  });
});

test("a pod that runs keeps its address when its index was removed and another has it", () => {
  const addresses = new PodAddresses(LOOPBACK_PODS);
  const address = addresses.take(ofJob("b", 3)) ?? "";
  addresses.keep(aPod("a", address));
  expect(addresses.take(aPod("a", address))).toBe(address);
  addresses.release("b");
  expect(addresses.take(ofJob("c", 4))).not.toBe(address);
  addresses.release("a");
  expect(addresses.take(ofJob("d", 3))).toBe(address);
});

test("a range that is used up says so, until somebody leaves", () => {
  const addresses = new PodAddresses(SMALL);
  const taken = Array.from({ length: 13 }, (_, at) => addresses.take(aPod(`uid-${at}`)));
  expect(new Set(taken).size).toBe(13);
  expect(taken).not.toContain(undefined);
  expect(addresses.take(aPod("late"))).toBeUndefined();
  addresses.release("uid-7");
  expect(addresses.take(aPod("late"))).toBe(taken[7]);
});

test("whoever comes and goes, no address is that of two", () => {
  const steps = fc.array(fc.record({ uid: fc.nat(20), leaves: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const addresses = new PodAddresses(SMALL);
      const held = new Map<number, string>();
      for (const { uid, leaves } of all) {
        if (leaves) {
          addresses.release(String(uid));
          held.delete(uid);
          continue;
        }
        const address = addresses.take(aPod(String(uid)));
        if (address !== undefined) held.set(uid, address);
        expect(new Set(held.values()).size).toBe(held.size);
      }
    }),
  );
});
