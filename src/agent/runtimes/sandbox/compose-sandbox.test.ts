import { expect, test } from "vitest";
import { storedPod } from "../../../../test/builders/pod.ts";
import { composeSandbox } from "./compose-sandbox.ts";

const around = {
  nodeName: "node",
  sharedPaths: [],
  user: { uid: 0, gid: 0, groups: [] },
  users: () => ({ passwd: "", group: "" }),
};

function compose(spec: object, container: object = {}, others: readonly object[] = []) {
  const main = { name: "main", image: "i", command: ["true"], ...container };
  const pod = storedPod({ spec: { containers: [main, ...others], ...spec } });
  const [first] = pod.spec.containers ?? [];
  if (first === undefined) throw new Error("the pod has a container");
  return composeSandbox(pod, first, around);
}

test.each<[string, object, string]>([
  ["its hostname", { hostname: "web" }, "web"],
  ["that of the node, on whose network it is", { hostNetwork: true, hostname: "web" }, "node"],
  [
    "the whole of its name",
    { hostname: "web", subdomain: "s", setHostnameAsFQDN: true },
    "web.s.default.svc.cluster.local",
  ],
  ["no domain without a subdomain", { hostname: "web", setHostnameAsFQDN: true }, "web"],
])("a pod is called by %s", (_, spec, hostname) => {
  expect(compose(spec)).toMatchObject({ hostname });
});

const OTHER = { name: "other", image: "i", command: ["true"] };

test.each<[string, boolean, object, object, readonly object[]]>([
  ["one container", true, {}, {}, []],
  ["two containers", false, {}, {}, [OTHER]],
  ["an init container", false, { initContainers: [OTHER] }, {}, []],
  [
    "settings of the kernel",
    false,
    { securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "9" }] } },
    {},
    [],
  ],
  [
    "power over its network",
    false,
    {},
    { securityContext: { capabilities: { add: ["NET_ADMIN"] } } },
    [],
  ],
])("whether a place can be given to another after a pod with %s: %s", (_, isAlone, ...given) => {
  expect(compose(...given)).toMatchObject({ isAlone });
});

test("what is shared with the host or within the pod is named", () => {
  const spec = { hostPID: true, hostIPC: true };
  expect(compose(spec)).toMatchObject({ shares: ["hostPid", "hostIpc"] });
  expect(compose({ shareProcessNamespace: true })).toMatchObject({ shares: ["pid"] });
});

test("a container that must not be root and would be is held", () => {
  expect(compose({ securityContext: { runAsNonRoot: true } })).toMatchObject({
    problem: { reason: "CreateContainerConfigError" },
  });
});
