/** Pure: the checks that the restricted level adds to those of the baseline level. */
import type { Volume } from "../../api/generated/core.ts";
import { maskedProcMount } from "./baseline-checks.ts";
import {
  type Check,
  type CheckedContainer,
  type CheckedPod,
  joinQuoted,
  nameContainers,
  nameSetters,
  namesOf,
  plural,
  sortedSet,
  unlessOwnUsers,
  unlessWindows,
  type Violation,
} from "./check.ts";
import {
  CAPABILITIES_BASELINE,
  forbiddenCapabilities,
  forbiddenSeccomp,
  SECCOMP_BASELINE,
  seccompType,
} from "./profile-checks.ts";

const allowPrivilegeEscalation: Check = {
  id: "allowPrivilegeEscalation",
  level: "restricted",
  versions: [
    { since: 8, check: noEscalation },
    { since: 25, check: unlessWindows(noEscalation) },
  ],
};

function noEscalation(pod: CheckedPod): Violation | undefined {
  const bad = namesOf(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (bad.length === 0) return undefined;
  const field = "securityContext.allowPrivilegeEscalation";
  const detail = `${nameContainers(bad)} must set ${field}=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
}

const capabilities: Check = {
  id: "capabilities_restricted",
  level: "restricted",
  versions: [
    { since: 22, check: dropsAll, replaces: CAPABILITIES_BASELINE },
    { since: 25, check: unlessWindows(dropsAll), replaces: CAPABILITIES_BASELINE },
  ],
};

function dropsAll(pod: CheckedPod): Violation | undefined {
  const keeps = namesOf(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
  );
  const dropping = `must set securityContext.capabilities.drop=["ALL"]`;
  const added = forbiddenCapabilities(pod, ["NET_BIND_SERVICE"]);
  const details = [
    ...(keeps.length > 0 ? [`${nameContainers(keeps)} ${dropping}`] : []),
    ...(added === undefined ? [] : [added]),
  ];
  if (details.length === 0) return undefined;
  return { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const procMount: Check = {
  id: "procMount_restricted",
  level: "restricted",
  versions: [{ since: 35, check: maskedProcMount, replaces: "procMount" }],
};

const PERMITTED_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const satisfies readonly (keyof Volume)[];

/** In the order in which Kubernetes determines the type of a volume. */
const NAMED_VOLUMES = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
] as const satisfies readonly (keyof Volume)[];

const restrictedVolumes: Check = {
  id: "restrictedVolumes",
  level: "restricted",
  versions: [{ since: 0, check: onlyPermittedVolumes, replaces: "hostPathVolumes" }],
};

function onlyPermittedVolumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) =>
    PERMITTED_VOLUMES.every((type) => volume[type] === undefined),
  );
  if (bad.length === 0) return undefined;
  const typeOf = (volume: Volume): string =>
    NAMED_VOLUMES.find((type) => volume[type] !== undefined) ?? "unknown";
  const types = sortedSet(bad.map(typeOf));
  const names = joinQuoted(bad.map(({ name }) => name));
  const uses = bad.length === 1 ? "uses" : "use";
  const what = `${plural("restricted volume type", types.length)} ${joinQuoted(types)}`;
  const detail = `${plural("volume", bad.length)} ${names} ${uses} ${what}`;
  return { reason: "restricted volume types", detail };
}

const runAsNonRoot: Check = {
  id: "runAsNonRoot",
  level: "restricted",
  versions: [
    { since: 0, check: neverRoot },
    { since: 35, check: unlessOwnUsers(neverRoot) },
  ],
};

function neverRoot(pod: CheckedPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const answerOf = ({ securityContext }: CheckedContainer): boolean | undefined =>
    securityContext?.runAsNonRoot;
  const reason = "runAsNonRoot != true";
  const refusing = namesOf(pod, (container) => answerOf(container) === false);
  const setters = nameSetters(ofPod === false, refusing);
  if (setters !== "") {
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = namesOf(pod, (container) => answerOf(container) === undefined);
  if (ofPod === true || silent.length === 0) return undefined;
  const detail = `pod or ${nameContainers(silent)} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
}

const runAsUser: Check = {
  id: "runAsUser",
  level: "restricted",
  versions: [
    { since: 23, check: notUserZero },
    { since: 35, check: unlessOwnUsers(notUserZero) },
  ],
};

function notUserZero(pod: CheckedPod): Violation | undefined {
  const isRoot = ({ securityContext }: CheckedContainer) => securityContext?.runAsUser === 0;
  const setters = nameSetters(pod.spec.securityContext?.runAsUser === 0, namesOf(pod, isRoot));
  if (setters === "") return undefined;
  return { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
}

const seccompProfile: Check = {
  id: "seccompProfile_restricted",
  level: "restricted",
  versions: [
    { since: 19, check: setsSeccomp, replaces: SECCOMP_BASELINE },
    { since: 25, check: unlessWindows(setsSeccomp), replaces: SECCOMP_BASELINE },
  ],
};

function setsSeccomp(pod: CheckedPod): Violation | undefined {
  const forbidden = forbiddenSeccomp(pod);
  if (forbidden) return forbidden;
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const silent = namesOf(pod, (container) => seccompType(container) === undefined);
  if (silent.length === 0) return undefined;
  const values = `securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  const detail = `pod or ${nameContainers(silent)} must set ${values}`;
  return { reason: "seccompProfile", detail };
}

export const RESTRICTED_CHECKS: readonly Check[] = [
  allowPrivilegeEscalation,
  capabilities,
  procMount,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfile,
];
