/** Pure: the checks of the baseline level about the host and the kernel's files. */
import {
  type Check,
  type CheckedContainer,
  type CheckedPod,
  containersOf,
  joinQuoted,
  nameContainers,
  nameSetters,
  namesOf,
  plural,
  sortedSet,
  unlessOwnUsers,
  type Violation,
} from "./check.ts";

const hostNamespaces: Check = {
  id: "hostNamespaces",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const fields = ["hostNetwork", "hostPID", "hostIPC"] as const;
        const set = fields.filter((field) => spec[field] === true);
        if (set.length === 0) return undefined;
        const detail = set.map((field) => `${field}=true`).join(", ");
        return { reason: "host namespaces", detail };
      },
    },
  ],
};

const hostPathVolumes: Check = {
  id: "hostPathVolumes",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        const found = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined);
        if (found.length === 0) return undefined;
        const names = joinQuoted(found.map(({ name }) => name));
        return { reason: "hostPath volumes", detail: `${plural("volume", found.length)} ${names}` };
      },
    },
  ],
};

const hostPorts: Check = {
  id: "hostPorts",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: (pod) => {
        const hostPortsOf = ({ ports = [] }: CheckedContainer) =>
          ports.map(({ hostPort = 0 }) => hostPort).filter((port) => port !== 0);
        const bad = namesOf(pod, (container) => hostPortsOf(container).length > 0);
        if (bad.length === 0) return undefined;
        const ports = sortedSet(containersOf(pod).flatMap(hostPortsOf).map(String));
        const uses = bad.length === 1 ? "uses" : "use";
        const what = `${plural("hostPort", ports.length)} ${ports.join(", ")}`;
        return { reason: "hostPort", detail: `${nameContainers(bad)} ${uses} ${what}` };
      },
    },
  ],
};

const hostProbesAndHostLifecycle: Check = {
  id: "hostProbesAndHostLifecycle",
  level: "baseline",
  versions: [
    {
      since: 34,
      check: (pod) => {
        const bad = sortedSet(namesOf(pod, (container) => probedHosts(container).length > 0));
        if (bad.length === 0) return undefined;
        const hosts = sortedSet(containersOf(pod).flatMap(probedHosts));
        const uses = bad.length === 1 ? "uses" : "use";
        const reason = "probe or lifecycle host";
        const what = `${plural(reason, hosts.length)} ${joinQuoted(hosts)}`;
        return { reason, detail: `${nameContainers(bad)} ${uses} ${what}` };
      },
    },
  ],
};

function probedHosts(container: CheckedContainer): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const { postStart, preStop } = lifecycle ?? {};
  return [livenessProbe, readinessProbe, startupProbe, postStart, preStop]
    .flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""])
    .filter((host) => host !== "");
}

const privileged: Check = {
  id: "privileged",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: (pod) => {
        const bad = namesOf(pod, ({ securityContext }) => securityContext?.privileged === true);
        if (bad.length === 0) return undefined;
        const detail = `${nameContainers(bad)} must not set securityContext.privileged=true`;
        return { reason: "privileged", detail };
      },
    },
  ],
};

export function maskedProcMount(pod: CheckedPod): Violation | undefined {
  const typeOf = ({ securityContext }: CheckedContainer): string =>
    securityContext?.procMount ?? "Default";
  const bad = containersOf(pod).filter((container) => typeOf(container) !== "Default");
  if (bad.length === 0) return undefined;
  const names = nameContainers(bad.map(({ name }) => name));
  const types = joinQuoted(sortedSet(bad.map(typeOf)));
  const detail = `${names} must not set securityContext.procMount to ${types}`;
  return { reason: "procMount", detail };
}

const procMount: Check = {
  id: "procMount",
  level: "baseline",
  versions: [
    { since: 0, check: maskedProcMount },
    { since: 35, check: unlessOwnUsers(maskedProcMount) },
  ],
};

const SYSCTLS_0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const SYSCTLS_27 = [...SYSCTLS_0, "net.ipv4.ip_local_reserved_ports"];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const SYSCTLS_32 = [...SYSCTLS_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls: Check = {
  id: "sysctls",
  level: "baseline",
  versions: [
    { since: 0, check: onlySysctls(SYSCTLS_0) },
    { since: 27, check: onlySysctls(SYSCTLS_27) },
    { since: 29, check: onlySysctls(SYSCTLS_29) },
    { since: 32, check: onlySysctls(SYSCTLS_32) },
  ],
};

function onlySysctls(safe: readonly string[]) {
  return ({ spec }: CheckedPod): Violation | undefined => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const bad = names.filter((name) => !safe.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };
}

const windowsHostProcess: Check = {
  id: "windowsHostProcess",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: (pod) => {
        const isPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
        const isBad = ({ securityContext }: CheckedContainer) =>
          securityContext?.windowsOptions?.hostProcess === true;
        const setters = nameSetters(isPod, namesOf(pod, isBad));
        if (setters === "") return undefined;
        const field = "securityContext.windowsOptions.hostProcess";
        return { reason: "hostProcess", detail: `${setters} must not set ${field}=true` };
      },
    },
  ],
};

export const BASELINE_CHECKS: readonly Check[] = [
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
  privileged,
  procMount,
  sysctls,
  windowsHostProcess,
];
