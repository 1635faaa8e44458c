import { expect, test } from "vitest";
import { storedPod } from "../../../../test/builders/pod.ts";
import {
  chooseAllowedRuntime,
  chooseRuntime,
  type DefaultRuntime,
  type RuntimeMeasures,
} from "./choice.ts";

const ABLE: RuntimeMeasures = {
  identity: { uid: 0, gid: 0, groups: [0] },
  hooks: ["exec", "httpGet", "sleep", "tcpSocket"],
  probes: ["exec", "httpGet", "tcpSocket", "grpc"],
  enforcesCpu: true,
  enforcesMemory: true,
  strictLimits: false,
  engines: [],
  sandbox: { hasNetwork: true, hasUsers: true },
};
const UNABLE: RuntimeMeasures = {
  ...ABLE,
  sandbox: { problem: "unshare not found", hasNetwork: false, hasUsers: false },
};

function choose(
  spec: object,
  container: object = {},
  measures = ABLE,
  fallback: DefaultRuntime = "auto",
) {
  const main = { name: "main", image: "i", command: ["true"], ...container };
  return chooseRuntime(storedPod({ spec: { containers: [main], ...spec } }), fallback, measures);
}

const MOUNTED = { volumeMounts: [{ name: "v", mountPath: "/v" }] };

test.each<[string, object, object]>([
  ["asks for nothing", {}, {}],
  ["has a hostname only", { hostname: "a" }, {}],
  ["has volumes that nobody mounts", { volumes: [{ name: "v", emptyDir: {} }] }, {}],
  ["names the process runtime", { runtimeClassName: "process" }, {}],
])("a pod that %s is a process", (_, spec, container) => {
  expect(choose(spec, container)).toMatchObject({ runtime: "process" });
});

test.each<[string, object, object]>([
  ["mounts a volume", {}, MOUNTED],
  ["has peers", { subdomain: "s" }, {}],
  ["has another user", { securityContext: { runAsUser: 7 } }, {}],
  ["must not write to its root", {}, { securityContext: { readOnlyRootFilesystem: true } }],
  ["drops rights", {}, { securityContext: { capabilities: { drop: ["ALL"] } } }],
  ["knows other names", { hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }] }, {}],
  ["names the sandbox", { runtimeClassName: "sandbox" }, {}],
])("a pod that %s has a sandbox", (_, spec, container) => {
  const { runtime, refusal } = choose(spec, container);
  expect(refusal).toBeUndefined();
  expect(runtime).toBe("sandbox");
});

test("the default of the node is for those who name no class", () => {
  expect(choose({}, {}, ABLE, "sandbox").runtime).toBe("sandbox");
  expect(choose({ runtimeClassName: "process" }, {}, ABLE, "sandbox").runtime).toBe("process");
  const { runtime, refusal } = choose({}, MOUNTED, ABLE, "process");
  expect(runtime).toBe("process");
  expect(refusal?.message).toContain("volumes are not mounted");
});

test("where there are no sandboxes, what needs one is refused with both reasons", () => {
  const { refusal } = choose({}, MOUNTED, UNABLE);
  expect(refusal?.message).toBe(
    'the process runtime cannot honour container "main": volumeMounts v at /v ' +
      "(volumes are not mounted); the sandbox cannot honour anything: unshare not found",
  );
});

const SET = { kind: "StatefulSet", name: "web", uid: "u", apiVersion: "apps/v1", controller: true };

test.each<[RuntimeMeasures, object]>([
  [ABLE, { runtime: "sandbox", warnings: [] }],
  [UNABLE, { runtime: "process", warnings: [{ reason: "NamesNotResolved" }] }],
])(
  "pods of a StatefulSet have names where there are sandboxes, and run where not",
  (can, chosen) => {
    const containers = [{ name: "main", image: "i", command: ["true"] }];
    const metadata = { ownerReferences: [SET] };
    const pod = storedPod({ metadata, spec: { containers, subdomain: "web" } });
    const found = chooseRuntime(pod, "auto", can);
    expect(found).toMatchObject(chosen);
    expect(found.refusal).toBeUndefined();
  },
);

test("who has a network that ends at this machine is told", () => {
  const sandbox = { ...ABLE.sandbox, noWayOut: "no iptables" };
  const told = (spec: object) =>
    choose({ runtimeClassName: "sandbox", ...spec }, {}, { ...ABLE, sandbox }).warnings;
  const message = "addresses beyond this machine are not reached: no iptables";
  expect(told({})).toEqual([{ reason: "NoWayOut", message }]);
  expect(told({ hostNetwork: true })).toEqual([]);
});

test("a class that the node does not have is refused", () => {
  const { refusal } = choose({ runtimeClassName: "gvisor" });
  expect(refusal?.message).toContain('runtimeClassName "gvisor"');
});

test.each<[object, object, string]>([
  [{ hostUsers: false }, {}, "hostUsers false (users are those of the host)"],
  [
    {},
    { volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }] },
    'container "main": mountPropagation Bidirectional of v (its mounts are its own)',
  ],
  [
    { securityContext: { sysctls: [{ name: "kernel.panic", value: "1" }] } },
    {},
    "sysctls kernel.panic (it would change the host)",
  ],
  [
    {},
    { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } } },
    'container "main": seccompProfile Localhost (no profile is loaded)',
  ],
  [
    {},
    { securityContext: { capabilities: { add: ["FLY"] } } },
    'container "main": capability FLY (there is none of that name)',
  ],
])("a sandbox is refused for %j %j", (spec, container, problem) => {
  const { refusal } = choose({ runtimeClassName: "sandbox", ...spec }, container);
  expect(refusal?.message).toBe(`the sandbox cannot honour ${problem}`);
});

test("who is not root can be nobody else", () => {
  const measures = { ...ABLE, sandbox: { hasNetwork: false, hasUsers: false } };
  const identity = { uid: 1000, gid: 1000, groups: [] };
  const asked = { runtimeClassName: "sandbox", securityContext: { runAsUser: 7 } };
  expect(choose(asked, {}, { ...measures, identity }).refusal?.message).toContain("runAsUser 7");
  const more = {
    runtimeClassName: "sandbox",
    hostPID: true,
    securityContext: { fsGroup: 3, supplementalGroups: [4] },
  };
  const rights = { securityContext: { capabilities: { add: ["NET_ADMIN"] } } };
  expect(choose(more, rights, { ...measures, identity }).refusal?.message).toBe(
    "the sandbox cannot honour hostPID (the server is not root); " +
      "fsGroup 3 (the server is not root); supplementalGroups 4 (the server is not root); " +
      'container "main": capabilities.add (the server is not root)',
  );
  const own = { runtimeClassName: "sandbox", securityContext: { runAsUser: 1000 } };
  expect(choose(own, {}, { ...measures, identity }).refusal).toBeUndefined();
});

test("what is honoured in part is told", () => {
  const container = {
    ports: [{ containerPort: 80, hostPort: 8080 }],
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
  };
  const { warnings } = choose({ runtimeClassName: "sandbox" }, container);
  expect(warnings.map(({ reason }) => reason)).toEqual(["NotConfined", "HostPortNotOpened"]);
});

test.each<[string, DefaultRuntime, readonly string[], object, object]>([
  ["a default pod of a node that chooses", "auto", ["sandbox"], {}, { runtime: "sandbox" }],
  ["a default pod of a node of processes", "process", ["sandbox"], {}, { runtime: "sandbox" }],
  [
    "a default pod where processes are allowed",
    "process",
    ["sandbox", "process"],
    {},
    { runtime: "sandbox" },
  ],
  [
    "a process that is allowed",
    "auto",
    ["sandbox", "process"],
    { runtimeClassName: "process" },
    { runtime: "process", warnings: [] },
  ],
  [
    "a process that is not allowed",
    "auto",
    ["sandbox", "engine"],
    { runtimeClassName: "process" },
    {
      refusal: {
        reason: "RuntimeNotAllowed",
        message: "the runtime process is not allowed (allowed by the server: sandbox, engine)",
      },
    },
  ],
])("on a node of a shared server: %s", (_, fallback, allowed, spec, expected) => {
  const main = { name: "main", image: "i", command: ["true"] };
  const pod = storedPod({ spec: { containers: [main], ...spec } });
  const chosen = chooseAllowedRuntime(pod, { fallback, allowed, measures: ABLE });
  expect(chosen).toMatchObject(expected);
});
