import { expect, test } from "vitest";
import { changed, storedPod } from "../../../../test/builders/pod.ts";
import { admitPod, imageNotice, type ProcessAbilities } from "./refusals.ts";

const USER: ProcessAbilities = {
  identity: { uid: 1000, gid: 1000, groups: [27, 1000] },
  hooks: ["exec", "sleep"],
  probes: [],
  enforcesCpu: false,
  enforcesMemory: false,
  strictLimits: false,
};
const ROOT: ProcessAbilities = { ...USER, identity: { uid: 0, gid: 0, groups: [0] } };

function podWith(container: object, spec: object = {}) {
  const main = { name: "main", image: "i", command: ["true"], ...container };
  return storedPod({ spec: { containers: [main], ...spec } });
}

function refusalOf(fields: object, container: object, abilities = USER): string {
  const { refusal } = admitPod(podWith(container, fields), abilities);
  if (refusal === undefined) return "";
  expect(refusal.reason).toBe("NotSupportedByRuntime");
  const opening = "the process runtime cannot honour ";
  expect(refusal.message.startsWith(opening)).toBe(true);
  return refusal.message.slice(opening.length);
}

test.each<[string, object]>([
  ["nothing beyond a command", {}],
  ["a hostname, which every pod of an Indexed Job has", { hostname: "job-1" }],
  ["the network, the processes and the IPC of the host", { hostNetwork: true, hostPID: true }],
  ["a shared view of processes", { shareProcessNamespace: true }],
  ["a name with a domain it has not", { setHostnameAsFQDN: true }],
  ["volumes that no container mounts", { volumes: [{ name: "v", emptyDir: {} }] }],
  ["Linux", { os: { name: "linux" } }],
  ["DNS as the host has it", { dnsPolicy: "Default" }],
])("a pod may ask for %s", (_, spec) => {
  expect(admitPod(podWith({}, spec), USER)).toEqual({ warnings: [] });
});

test.each<[object, string]>([
  [{ subdomain: "peers" }, "subdomain (peers' names are not resolved)"],
  [{ hostnameOverride: "a.b" }, "hostnameOverride (the host keeps its name)"],
  [{ hostAliases: [{ ip: "10.0.0.1" }] }, "hostAliases (/etc/hosts is the host's)"],
  [{ dnsConfig: { searches: ["x"] } }, "dnsConfig (/etc/resolv.conf is the host's)"],
  [
    { dnsPolicy: "None", dnsConfig: { nameservers: ["10.0.0.1"] } },
    "dnsConfig (/etc/resolv.conf is the host's)",
  ],
  [{ hostUsers: false }, "hostUsers false (there is no user namespace)"],
  [{ resourceClaims: [{ name: "gpu" }] }, "resourceClaims (no devices are allocated)"],
])("a pod is refused for %j", (spec, problem) => {
  expect(refusalOf(spec, {})).toBe(problem);
});

test.each<[object, string]>([
  [
    {
      volumeMounts: [
        { name: "data", mountPath: "/data" },
        { name: "tmp", mountPath: "/tmp" },
      ],
    },
    "volumeMounts data at /data, tmp at /tmp (volumes are not mounted)",
  ],
  [
    { volumeDevices: [{ name: "disk", devicePath: "/dev/x" }] },
    "volumeDevices disk at /dev/x (volumes are not attached)",
  ],
  [
    { env: [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "f", key: "K" } } }] },
    "variable A from a file (volumes are not mounted)",
  ],
  [
    { lifecycle: { preStop: { httpGet: { port: 80 } } } },
    "preStop.httpGet (it is not carried out)",
  ],
  [
    { lifecycle: { postStart: { tcpSocket: { port: 80 } } } },
    "postStart.tcpSocket (it is not carried out)",
  ],
  [
    { readinessProbe: { exec: { command: ["true"] } } },
    "readinessProbe.exec (it is not carried out)",
  ],
  [{ livenessProbe: { grpc: { port: 1 } } }, "livenessProbe.grpc (it is not carried out)"],
  [{ startupProbe: { httpGet: { port: 1 } } }, "startupProbe.httpGet (it is not carried out)"],
])("a container is refused for %j", (container, problem) => {
  expect(refusalOf({}, container)).toBe(`container "main": ${problem}`);
  const initContainers = [{ name: "first", image: "i", ...container }];
  expect(refusalOf({ initContainers }, {})).toBe(`container "first": ${problem}`);
});

test.each<[string, object]>([
  ["ports", { ports: [{ containerPort: 80, hostPort: 80 }] }],
  ["a working directory", { workingDir: "/srv" }],
  ["hooks that the agent carries out", { lifecycle: { preStop: { exec: { command: ["a"] } } } }],
  ["requests", { resources: { requests: { cpu: "1", memory: "1Gi" } } }],
])("a container may ask for %s", (_, container) => {
  expect(admitPod(podWith(container), USER)).toEqual({ warnings: [] });
});

test.each([
  ["SIGUSR1", undefined],
  [
    "SIGWINCH",
    'the process runtime cannot honour container "main": stopSignal SIGWINCH (it cannot be sent)',
  ],
])("a container that is stopped by %s: %s", (stopSignal, message) => {
  // Stored only where the cluster has the feature: so not by way of a write.
  const pod = changed(podWith({}), ({ spec }) => {
    for (const container of spec.containers ?? []) container.lifecycle = { stopSignal };
  });
  expect(admitPod(pod, USER).refusal?.message).toBe(message);
});

test("a probe that the agent carries out is no reason to refuse", () => {
  const container = { readinessProbe: { exec: { command: ["true"] } } };
  expect(refusalOf({}, container, { ...USER, probes: ["exec"] })).toBe("");
});

test("all reasons are told at once, up to a limit", () => {
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const volumeDevices = [{ name: "d", devicePath: "/d" }];
  expect(refusalOf({ subdomain: "s" }, { volumeMounts, volumeDevices })).toBe(
    "subdomain (peers' names are not resolved); " +
      'container "main": volumeMounts v at /v (volumes are not mounted); ' +
      'container "main": volumeDevices d at /d (volumes are not attached)',
  );
  const containers = Array.from({ length: 11 }, (_, at) => ({
    name: `c${at}`,
    image: "i",
    volumeDevices,
  }));
  const message = refusalOf({ containers }, {});
  expect(message).toMatch(/container "c7": volumeDevices d at \/d \(.*\); and 3 more$/);
});

test("a pod of a StatefulSet runs without the names of its peers, and says so", () => {
  const pod = changed(podWith({}, { subdomain: "peers" }), ({ metadata }) => {
    const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u" };
    metadata.ownerReferences = [{ ...owner, controller: true }];
  });
  expect(admitPod(pod, USER)).toEqual({
    warnings: [
      {
        reason: "NamesNotResolved",
        message: 'subdomain "peers" has no effect: peers\' names are not resolved',
      },
    ],
  });
});

test("a pod for another system is refused in kubelet's words", () => {
  expect(admitPod(podWith({}, { os: { name: "windows" }, subdomain: "s" }), USER)).toEqual({
    refusal: {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
    },
    warnings: [],
  });
});

test("a limit that nothing enforces is warned of, or refused when limits are strict", () => {
  const pod = podWith({ resources: { limits: { cpu: "500m", memory: "64Mi" } } });
  const notice = {
    reason: "LimitNotEnforced",
    message:
      "limits are not enforced on this node: " +
      'container "main": cpu 500m, container "main": memory 64Mi',
  };
  expect(admitPod(pod, USER)).toEqual({ warnings: [notice] });
  expect(admitPod(pod, { ...USER, strictLimits: true })).toEqual({ refusal: notice, warnings: [] });
  const enforced = { ...USER, strictLimits: true, enforcesCpu: true, enforcesMemory: true };
  expect(admitPod(pod, enforced)).toEqual({ warnings: [] });
});

test.each<[string, ProcessAbilities, object, object, string]>([
  ["one's own user and group", USER, { runAsUser: 1000, runAsGroup: 1000 }, {}, ""],
  ["one's own groups", USER, { supplementalGroups: [27, 1000], fsGroup: 27 }, {}, ""],
  ["not to be root, which one is not", USER, { runAsNonRoot: true }, {}, ""],
  ["to be root, which one is", ROOT, { runAsUser: 0 }, {}, ""],
  ["no capabilities, of which one has none", USER, {}, { capabilities: { drop: ["ALL"] } }, ""],
  ["no confinement", USER, { seccompProfile: { type: "Unconfined" } }, {}, ""],
  ["no privileges", ROOT, {}, { privileged: false, allowPrivilegeEscalation: true }, ""],
  ["a user that the container corrects", USER, { runAsUser: 5 }, { runAsUser: 1000 }, ""],
  [
    "another user, from the pod",
    USER,
    { runAsUser: 5 },
    {},
    "securityContext.runAsUser 5 (processes run as user 1000)",
  ],
  [
    "another user and group, in the container",
    USER,
    {},
    { runAsUser: 5, runAsGroup: 6 },
    'container "main": securityContext.runAsUser 5 (processes run as user 1000); ' +
      'container "main": securityContext.runAsGroup 6 (processes run as group 1000)',
  ],
  [
    "not to be root, which one is",
    ROOT,
    { runAsNonRoot: true },
    {},
    "securityContext.runAsNonRoot (processes run as root, as the server does)",
  ],
  [
    "other groups",
    USER,
    { supplementalGroups: [1, 27], fsGroup: 2, supplementalGroupsPolicy: "Strict" },
    {},
    "securityContext.supplementalGroups 1 (not a group of the server); " +
      "securityContext.fsGroup 2 (not a group of the server); " +
      "securityContext.supplementalGroupsPolicy Strict (processes have the groups of the server)",
  ],
  [
    "parameters of the kernel",
    USER,
    { sysctls: [{ name: "net.core.somaxconn", value: "1" }] },
    {},
    "securityContext.sysctls net.core.somaxconn (they would change the host)",
  ],
  [
    "privileges",
    USER,
    {},
    { privileged: true, capabilities: { add: ["SYS_ADMIN"] } },
    'container "main": securityContext.privileged (processes have the rights of the server); ' +
      'container "main": securityContext.capabilities.add SYS_ADMIN (none can be given)',
  ],
  [
    "fewer capabilities than root has",
    ROOT,
    {},
    { capabilities: { drop: ["ALL"] } },
    'container "main": securityContext.capabilities.drop ALL (processes run as root)',
  ],
  [
    "hardening",
    USER,
    { seccompProfile: { type: "RuntimeDefault" } },
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    "securityContext.seccompProfile RuntimeDefault (processes are not confined); " +
      'container "main": securityContext.allowPrivilegeEscalation false (it cannot be ' +
      'prevented); container "main": securityContext.readOnlyRootFilesystem (the files are ' +
      "the host's)",
  ],
  [
    "labels and profiles",
    USER,
    { seLinuxOptions: { level: "s0" } },
    { appArmorProfile: { type: "RuntimeDefault" } },
    "securityContext.seLinuxOptions (processes keep the label of the server); " +
      'container "main": securityContext.appArmorProfile RuntimeDefault (processes are not ' +
      "confined)",
  ],
])("a security context asks for %s", (_, abilities, ofPod, ofContainer, problem) => {
  const container = { securityContext: ofContainer };
  expect(refusalOf({ securityContext: ofPod }, container, abilities)).toBe(problem);
});

test("what several containers have from the pod is said once", () => {
  const containers = [
    { name: "a", image: "i" },
    { name: "b", image: "i" },
  ];
  expect(refusalOf({ securityContext: { runAsUser: 5 }, containers }, {})).toBe(
    "securityContext.runAsUser 5 (processes run as user 1000)",
  );
});

test("the images of a pod are told to be unused, each once", () => {
  const containers = [
    { name: "a", image: "busybox:1.36" },
    { name: "b", image: "busybox:1.36" },
  ];
  const rest =
    "not used: the process runtime runs commands with the programs and files of this host";
  expect(imageNotice(storedPod({ spec: { containers } }))).toEqual({
    reason: "ImageNotUsed",
    message: `image "busybox:1.36" ${rest}`,
  });
  const initContainers = [{ name: "i", image: "perl" }];
  expect(imageNotice(storedPod({ spec: { containers, initContainers } })).message).toBe(
    `images "perl", "busybox:1.36" ${rest}`,
  );
});
