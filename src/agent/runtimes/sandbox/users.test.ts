import { expect, test } from "vitest";
import type { Container, Pod } from "../../../api/generated/core.ts";
import { findUser } from "./users.ts";

const tables = () => ({
  passwd: "root:x:0:0::/r:/bin/sh\nann:x:1000:1001::/h:/bin/sh\n",
  group: "ann:x:1001:\ndocs:x:50:bob,ann\n",
});
const own = { uid: 0, gid: 0, groups: [0] };

function find(ofPod: object, ofContainer: object = {}) {
  const metadata = { name: "p", namespace: "n", uid: "u" };
  const pod = { metadata, spec: { securityContext: ofPod } } as unknown as Pod;
  const container = { name: "c", securityContext: ofContainer } as unknown as Container;
  return findUser(pod, container, own, tables);
}

test.each([
  ["nobody asks for another", {}, {}, { uid: 0, gid: 0, groups: [] }],
  ["the host knows the user", { runAsUser: 1000 }, {}, { uid: 1000, gid: 1001, groups: [50] }],
  ["nobody knows the user", { runAsUser: 7 }, {}, { uid: 7, gid: 0, groups: [] }],
  [
    "the container has the last word",
    { runAsUser: 7, runAsGroup: 8 },
    { runAsUser: 1000 },
    { uid: 1000, gid: 8, groups: [50] },
  ],
  [
    "groups are added",
    { runAsUser: 1000, supplementalGroups: [60], fsGroup: 70 },
    {},
    { uid: 1000, gid: 1001, groups: [50, 60, 70] },
  ],
  [
    "groups of the host are not",
    { runAsUser: 1000, supplementalGroups: [60], supplementalGroupsPolicy: "Strict" },
    {},
    { uid: 1000, gid: 1001, groups: [60] },
  ],
])("the user where %s", (_, ofPod, ofContainer, user) => {
  expect(find(ofPod, ofContainer)).toEqual({ user });
});

test("root is refused where it is not wanted, in kubelet's words", () => {
  expect(find({ runAsNonRoot: true })).toEqual({
    problem: 'container has runAsNonRoot and image will run as root (pod: "p_n(u)", container: c)',
  });
  expect(find({ runAsNonRoot: true, runAsUser: 0 })).toEqual({
    problem: `container's runAsUser breaks non-root policy (pod: "p_n(u)", container: c)`,
  });
});
