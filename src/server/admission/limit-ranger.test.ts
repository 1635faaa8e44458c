import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { ApiError } from "../../api/errors.ts";
import type { LimitRange, Pod } from "../../api/generated/core.ts";
import type { Json, KubeObject } from "../../api/object.ts";
import { persistentVolumeClaimKind } from "../../kinds/persistentvolume/claim.ts";
import { podKind } from "../../kinds/pod/kind.ts";
import { limitRangeKind } from "../../kinds/structural/limit-range.ts";
import { limitRanger } from "./limit-ranger.ts";
import type { StoreView } from "./plugin.ts";

type Fields = { [field: string]: Json };

function storeWith(limit: Fields): StoreView {
  const range = created<LimitRange>(limitRangeKind, { spec: { limits: [limit] } });
  const items: KubeObject[] = [range];
  return { get: () => undefined, list: () => ({ revision: 1, items, more: false }) };
}

/** The admitted pod, or the error message. */
function admitted(limit: Fields, resources: Fields): Pod | string {
  const object = created(podKind, { spec: { containers: [{ name: "c", image: "i", resources }] } });
  const request = { operation: "create", kind: podKind, namespace: "ns", object } as const;
  try {
    limitRanger({ ...request, dryRun: false }, storeWith(limit));
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return object as unknown as Pod;
}

test("missing requests and limits get defaults, recorded in an annotation", () => {
  const limit = { type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } };
  expect(admitted(limit, {})).toMatchObject({
    metadata: {
      annotations: {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: cpu request for container c; cpu limit for container c",
      },
    },
    spec: { containers: [{ resources: { limits: { cpu: "500m" }, requests: { cpu: "100m" } } }] },
  });
  const given = admitted(limit, { limits: { cpu: "1" }, requests: { cpu: "1" } });
  expect(given).not.toHaveProperty("metadata.annotations");
});

test.each<[Fields, Fields, string]>([
  [
    { type: "Container", max: { cpu: "1" } },
    { limits: { cpu: "2" } },
    "maximum cpu usage per Container is 1, but limit is 2",
  ],
  [
    { type: "Container", min: { cpu: "1" } },
    { requests: { cpu: "500m" } },
    "minimum cpu usage per Container is 1, but request is 500m",
  ],
  [
    { type: "Pod", min: { cpu: "1" }, max: { memory: "1Gi" } },
    {},
    "[minimum cpu usage per Pod is 1.  No request is specified, " +
      "maximum memory usage per Pod is 1Gi.  No limit is specified]",
  ],
  [
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    { limits: { cpu: "3" }, requests: { cpu: "1" } },
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
])("under the limit %j a container with %j is rejected", (limit, resources, problem) => {
  expect(admitted(limit, resources)).toBe(`pods "j" is forbidden: ${problem}`);
});

test("a growing claim and a resized pod are checked too", () => {
  const claim = (storage: string) =>
    created(persistentVolumeClaimKind, { spec: { resources: { requests: { storage } } } });
  const range = storeWith({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } });
  const grow = { operation: "update", namespace: "ns", dryRun: false } as const;
  const asked = { ...grow, kind: persistentVolumeClaimKind, old: claim("1Gi") };
  expect(() => limitRanger({ ...asked, object: claim("2Gi") }, range)).toThrow(
    "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi",
  );
  expect(() =>
    limitRanger({ ...asked, part: "status", object: claim("2Gi") }, range),
  ).not.toThrow();
  const containers = [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }];
  const pod = { ...grow, kind: podKind, object: created(podKind, { spec: { containers } }) };
  const small = storeWith({ type: "Container", max: { cpu: "1" } });
  expect(() => limitRanger({ ...pod, part: "resize" }, small)).toThrow("maximum cpu usage");
  expect(() => limitRanger(pod, small)).not.toThrow();
});
