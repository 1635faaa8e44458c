import { expect, test } from "vitest";
import { writtenPod } from "../../../test/builders/pod.ts";
import type { Volume } from "../../api/generated/core.ts";
import { findUnsupported } from "./unsupported.ts";

const volumeMounts = [{ name: "v", mountPath: "/v" }];
const container = { name: "c", image: "i", volumeMounts };

function podWith(source: Omit<Volume, "name">) {
  const volumes = [{ name: "v", ...source }];
  return writtenPod({ spec: { containers: [container], volumes } });
}

test.each<[Omit<Volume, "name">]>([
  [{ emptyDir: {} }],
  [{ emptyDir: { medium: "Memory" } }],
  [{ configMap: { name: "x" } }],
  [{ projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }],
  [{ ephemeral: {} }],
])("a volume of %j can be had", (source) => {
  expect(findUnsupported(podWith(source))).toBeUndefined();
});

test.each<[Omit<Volume, "name">, string]>([
  [{ nfs: { server: "s", path: "/" } }, "nfs (there is nothing that mounts it)"],
  [
    { emptyDir: { medium: "HugePages-2Mi" } },
    "emptyDir of HugePages-2Mi (there are no huge pages)",
  ],
  [
    { projected: { sources: [{ clusterTrustBundle: { name: "x", path: "p" } }] } },
    "clusterTrustBundle (there are no ClusterTrustBundles)",
  ],
])("a volume of %j is refused", (source, reason) => {
  expect(findUnsupported(podWith(source))).toBe(`this node cannot honour volume "v": ${reason}`);
});

test("what no container mounts is no reason to refuse anything", () => {
  const volumes = [{ name: "v", nfs: { server: "s", path: "/" } }];
  const pod = writtenPod({ spec: { containers: [{ name: "c", image: "i" }], volumes } });
  expect(findUnsupported(pod)).toBeUndefined();
});
