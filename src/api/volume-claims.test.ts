import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "./generated/core.ts";
import { findMismatch, findVolumeFor, isBoundTo } from "./volume-claims.ts";

type VolumeFields = Partial<PersistentVolume["spec"]> & {
  readonly phase?: string;
  readonly labels?: { readonly [key: string]: string };
};

function volume(name: string, { phase = "Available", labels, ...spec }: VolumeFields = {}) {
  return {
    metadata: { name, ...(labels ? { labels } : {}) },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase },
  } as unknown as PersistentVolume;
}

function claim(spec: Partial<PersistentVolumeClaim["spec"]> = {}) {
  return {
    metadata: { namespace: "ns", name: "c", uid: "u" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
    status: {},
  } as unknown as PersistentVolumeClaim;
}

const of = (storage: string) => ({ capacity: { storage } });
const both = { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] };
const meant = { claimRef: { namespace: "ns", name: "c" } };

test.each<[string, readonly PersistentVolume[], string | undefined]>([
  ["the smallest that is large enough", [volume("a", of("3Gi")), volume("b", of("2Gi"))], "b"],
  ["none that is too small", [volume("a", of("1023Mi"))], undefined],
  ["fewer ways of access before less size", [volume("a", both), volume("b", of("9Gi"))], "b"],
  ["none that lacks a way", [volume("a", { accessModes: ["ReadOnlyMany"] })], undefined],
  ["none of another class", [volume("a", { storageClassName: "x" })], undefined],
  ["none of another mode", [volume("a", { volumeMode: "Block" })], undefined],
  ["none that is taken", [volume("a", { claimRef: { namespace: "ns", name: "d" } })], undefined],
  ["none that is not available yet", [volume("a", { phase: "Pending" })], undefined],
  ["the one that is meant for it", [volume("a"), volume("b", { ...meant, phase: "Bound" })], "b"],
  [
    "none that was meant for an earlier claim of its name",
    [volume("a", { claimRef: { ...meant.claimRef, uid: "v" } })],
    undefined,
  ],
])("a claim gets %s", (_, volumes, expected) => {
  expect(findVolumeFor(claim(), volumes)?.metadata.name).toBe(expected);
});

test("a claim with a selector gets a volume that it selects", () => {
  const volumes = [volume("a"), volume("b", { labels: { disk: "ssd" } })];
  const wanted = claim({ selector: { matchLabels: { disk: "ssd" } } });
  expect(findVolumeFor(wanted, volumes)?.metadata.name).toBe("b");
});

test("a claim that waits for its consumer gets only a volume reserved for it", () => {
  const only = { onlyMeant: true };
  expect(findVolumeFor(claim(), [volume("a")], only)).toBeUndefined();
  expect(findVolumeFor(claim(), [volume("a"), volume("b", meant)], only)?.metadata.name).toBe("b");
});

test("a volume reserved without a UID is bound to any claim of that name", () => {
  expect(isBoundTo(volume("a", meant), claim())).toBe(true);
});

test.each<[VolumeFields, string | undefined]>([
  [{}, undefined],
  [of("1Mi"), "requested PV is too small"],
  [{ storageClassName: "x" }, "storageClassName does not match"],
  [{ volumeMode: "Block" }, "incompatible volumeMode"],
  [{ accessModes: [] }, "incompatible accessMode"],
])("a volume of %j that a claim names", (fields, expected) => {
  expect(findMismatch(volume("a", fields), claim())).toBe(expected);
});
