/** Pods that the recorder sends to namespaces of every level and version. */

type Fields = { readonly [field: string]: unknown };

export interface TablePod {
  readonly annotations?: { readonly [key: string]: string };
  readonly spec: Fields;
}

const container = (name: string, more: Fields = {}): Fields => ({ name, image: "i", ...more });
const secured = (name: string, securityContext: Fields): Fields =>
  container(name, { securityContext });

/** What the newest restricted level requires of a container and of a pod. */
const STRICT_CONTAINER = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};
const STRICT_POD = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

function pod(spec: Fields, annotations?: { readonly [key: string]: string }): TablePod {
  const whole = { containers: [container("a")], ...spec };
  return { spec: whole, ...(annotations ? { annotations } : {}) };
}

/** A pod that complies with restricted, except for the given fields. */
function strict(spec: Fields, annotations?: { readonly [key: string]: string }): TablePod {
  const { securityContext = {}, ...others } = spec as { securityContext?: Fields };
  const containers = [secured("a", STRICT_CONTAINER)];
  const context = { ...STRICT_POD, ...securityContext };
  return pod({ containers, securityContext: context, ...others }, annotations);
}

/**
 * The fields in one container, in two, in an init container beside a compliant one, and in all
 * kinds.
 */
function everywhere(name: string, more: Fields): { [name: string]: TablePod } {
  return {
    [`${name}-one`]: pod({ containers: [container("a", more)] }),
    [`${name}-two`]: pod({ containers: [container("b", more), container("a", more)] }),
    [`${name}-init`]: pod({ initContainers: [container("i", more)] }),
    [`${name}-both`]: pod({
      initContainers: [container("i", more), container("good")],
      containers: [container("a", more)],
    }),
  };
}

function contexts(
  name: string,
  securityContexts: { readonly [variant: string]: Fields },
): { [name: string]: TablePod } {
  const entries = Object.entries(securityContexts).map(([variant, securityContext]) =>
    everywhere(`${name}-${variant}`, { securityContext }),
  );
  return Object.assign({}, ...entries);
}

/** One value in the pod, another in its containers. */
function podAndContainers(
  name: string,
  field: string,
  values: { readonly [variant: string]: unknown },
): { [name: string]: TablePod } {
  const pods: { [name: string]: TablePod } = {};
  for (const [variant, value] of Object.entries(values)) {
    const context = { [field]: value };
    pods[`${name}-pod-${variant}`] = strict({ securityContext: context });
    pods[`${name}-container-${variant}`] = strict({
      containers: [secured("a", { ...STRICT_CONTAINER, ...context })],
    });
    pods[`${name}-only-containers-${variant}`] = pod({
      containers: [secured("a", context), secured("b", context)],
      initContainers: [container("i")],
    });
    pods[`${name}-both-${variant}`] = pod({
      securityContext: context,
      containers: [secured("a", context), container("b")],
    });
  }
  return pods;
}

const capabilities = (add: readonly string[], drop: readonly string[] = []): Fields => ({
  capabilities: { add, drop },
});

const VOLUMES: { readonly [type: string]: Fields } = {
  hostPath: { path: "/" },
  gcePersistentDisk: { pdName: "d" },
  awsElasticBlockStore: { volumeID: "d" },
  gitRepo: { repository: "r" },
  nfs: { server: "s", path: "/p" },
  iscsi: { targetPortal: "p", iqn: "iqn.2015-02.example.com:test", lun: 0 },
  glusterfs: { endpoints: "e", path: "p" },
  rbd: { monitors: ["m"], image: "i" },
  flexVolume: { driver: "example.com/d" },
  cinder: { volumeID: "d" },
  cephfs: { monitors: ["m"] },
  flocker: { datasetName: "d" },
  fc: { targetWWNs: ["w"], lun: 0 },
  azureFile: { secretName: "s", shareName: "n" },
  vsphereVolume: { volumePath: "p" },
  quobyte: { registry: "r:1", volume: "v" },
  azureDisk: { diskName: "d", diskURI: "https://blob/d" },
  photonPersistentDisk: { pdID: "d" },
  portworxVolume: { volumeID: "d" },
  scaleIO: { gateway: "g", system: "s", secretRef: { name: "n" }, volumeName: "v" },
  storageos: { volumeName: "v" },
  emptyDir: {},
  configMap: { name: "c" },
  secret: { secretName: "s" },
  downwardAPI: {},
  projected: { sources: [] },
  csi: { driver: "d.example.com" },
  persistentVolumeClaim: { claimName: "c" },
  ephemeral: {
    volumeClaimTemplate: {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  },
  image: { reference: "i" },
};

function volumePods(): { [name: string]: TablePod } {
  const entries = Object.entries(VOLUMES).map(([type, source]) => [
    `volume-${type.toLowerCase()}`,
    strict({ volumes: [{ name: "v", [type]: source }] }),
  ]);
  return Object.fromEntries(entries);
}

const probe = (handler: Fields): Fields => ({ livenessProbe: handler });
const APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP = "seccomp.security.alpha.kubernetes.io/";

const SYSCTLS = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
  "kernel.msgmax",
  "net.core.somaxconn",
];

export const TABLE_PODS: { readonly [name: string]: TablePod } = {
  plain: pod({}),
  strict: strict({}),
  "host-network": pod({ hostNetwork: true }),
  "host-pid": pod({ hostPID: true }),
  "host-ipc": strict({ hostIPC: true }),
  "host-all": pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
  "host-all-own-users": pod({ hostPID: true, hostUsers: true }),
  "host-paths": pod({
    volumes: [
      { name: "w", hostPath: { path: "/" } },
      { name: "e", emptyDir: {} },
      { name: "v", hostPath: { path: "/etc" } },
    ],
  }),
  "volumes-many": pod({
    volumes: [
      { name: "w", hostPath: { path: "/" } },
      { name: "n", nfs: { server: "s", path: "/p" } },
      { name: "m", nfs: { server: "s", path: "/p" } },
    ],
  }),
  ...volumePods(),
  ...everywhere("host-port", { ports: [{ containerPort: 80, hostPort: 8080 }] }),
  "host-ports": pod({
    containers: [
      container("b", { ports: [{ containerPort: 9, hostPort: 9 }] }),
      container("a", { ports: [{ containerPort: 80, hostPort: 10 }, { containerPort: 81 }] }),
    ],
  }),
  "probe-http": pod({ containers: [container("a", probe({ httpGet: { port: 1, host: "h" } }))] }),
  "probe-tcp": pod({ containers: [container("a", probe({ tcpSocket: { port: 1, host: "h" } }))] }),
  "probe-own": pod({ containers: [container("a", probe({ httpGet: { port: 1 } }))] }),
  "probe-many": pod({
    initContainers: [
      container("s", {
        restartPolicy: "Always",
        startupProbe: { tcpSocket: { port: 1, host: "z.example" } },
      }),
    ],
    containers: [
      container("b", { readinessProbe: { httpGet: { port: 1, host: "127.0.0.1" } } }),
      container("a", {
        lifecycle: {
          postStart: { httpGet: { port: 1, host: "127.0.0.1" } },
          preStop: { tcpSocket: { port: 1, host: "m" } },
        },
      }),
    ],
  }),
  ...contexts("escalation", {
    yes: { allowPrivilegeEscalation: true },
    no: { allowPrivilegeEscalation: false },
  }),
  ...contexts("add", {
    default: capabilities(["CHOWN", "KILL"]),
    "net-raw": capabilities(["NET_RAW"]),
    many: capabilities(["SYS_ADMIN", "NET_ADMIN", "CHOWN", "SYS_ADMIN"]),
    cap: capabilities(["CAP_CHOWN"]),
    bind: capabilities(["NET_BIND_SERVICE"], ["ALL"]),
    all: capabilities(["ALL"], ["ALL"]),
    lower: capabilities([], ["all"]),
  }),
  ...podAndContainers("nonroot", "runAsNonRoot", { yes: true, no: false }),
  ...podAndContainers("user", "runAsUser", { root: 0, other: 1000 }),
  ...podAndContainers("seccomp", "seccompProfile", {
    unconfined: { type: "Unconfined" },
    default: { type: "RuntimeDefault" },
    localhost: { type: "Localhost", localhostProfile: "p" },
  }),
  ...podAndContainers("apparmor", "appArmorProfile", {
    unconfined: { type: "Unconfined" },
    default: { type: "RuntimeDefault" },
    localhost: { type: "Localhost", localhostProfile: "p" },
  }),
  ...podAndContainers("selinux", "seLinuxOptions", {
    good: { type: "container_t", level: "s0" },
    engine: { type: "container_engine_t" },
    bad: { type: "spc_t" },
    user: { user: "u" },
    role: { type: "other_t", user: "u", role: "r" },
  }),
  "selinux-types": pod({
    securityContext: { seLinuxOptions: { type: "z_t" } },
    containers: [
      secured("a", { seLinuxOptions: { type: "b_t" } }),
      secured("b", { seLinuxOptions: { role: "r" } }),
    ],
  }),
  ...contexts("proc", { default: { procMount: "Default" } }),
  "proc-unmasked": pod({
    hostUsers: false,
    containers: [secured("a", { procMount: "Unmasked" }), container("b")],
  }),
  "proc-unmasked-strict": strict({
    hostUsers: false,
    containers: [secured("a", { ...STRICT_CONTAINER, procMount: "Unmasked" })],
  }),
  "own-users-root": strict({
    hostUsers: false,
    securityContext: { runAsNonRoot: false, runAsUser: 0 },
  }),
  "own-users-plain": pod({ hostUsers: false }),
  ...Object.fromEntries(
    SYSCTLS.map((name) => [
      `sysctl-${name.replaceAll("_", "-")}`,
      strict({ securityContext: { sysctls: [{ name, value: "1" }] } }),
    ]),
  ),
  "sysctls-many": pod({
    securityContext: { sysctls: SYSCTLS.map((name) => ({ name, value: "1" })) },
  }),
  windows: pod({ os: { name: "windows" } }),
  "windows-nonroot": pod({
    os: { name: "windows" },
    securityContext: { runAsNonRoot: true },
  }),
  linux: pod({ os: { name: "linux" } }),
  "apparmor-annotation-bad": pod({}, { [`${APPARMOR}a`]: "unconfined" }),
  "apparmor-annotation-good": strict({}, { [`${APPARMOR}a`]: "runtime/default" }),
  "seccomp-annotation-bad": pod({}, { [`${SECCOMP}pod`]: "unconfined" }),
  "seccomp-annotation-container": pod({}, { [`container.${SECCOMP}a`]: "unconfined" }),
  "seccomp-annotation-other": pod({}, { [`container.${SECCOMP}other`]: "unconfined" }),
  "seccomp-annotations": pod(
    {},
    { [`container.${SECCOMP}a`]: "x", [`${SECCOMP}pod`]: "localhost/p" },
  ),
  everything: pod({
    hostNetwork: true,
    hostPID: true,
    volumes: [{ name: "v", hostPath: { path: "/" } }],
    securityContext: { runAsUser: 0, sysctls: [{ name: "kernel.msgmax", value: "1" }] },
    containers: [
      container("a", {
        ports: [{ containerPort: 80, hostPort: 80 }],
        securityContext: capabilities(["SYS_ADMIN"]),
      }),
    ],
  }),
};

/** Only sent to a server with --allow-privileged=true: other servers reject them as invalid. */
export const PRIVILEGED_PODS: { readonly [name: string]: TablePod } = {
  ...contexts("privileged", { yes: { privileged: true }, no: { privileged: false } }),
  "windows-host-process": pod({
    os: { name: "windows" },
    hostNetwork: true,
    securityContext: { windowsOptions: { hostProcess: true } },
  }),
  "windows-host-process-containers": pod({
    os: { name: "windows" },
    hostNetwork: true,
    containers: [
      secured("a", { windowsOptions: { hostProcess: true } }),
      secured("b", { windowsOptions: { hostProcess: true } }),
    ],
  }),
  "windows-host-process-both": pod({
    os: { name: "windows" },
    hostNetwork: true,
    securityContext: { windowsOptions: { hostProcess: true } },
    containers: [secured("a", { windowsOptions: { hostProcess: true } })],
  }),
};

export const VERSIONS = [
  "v1.0",
  "v1.8",
  "v1.18",
  "v1.19",
  "v1.22",
  "v1.23",
  "v1.25",
  "v1.27",
  "v1.29",
  "v1.31",
  "v1.32",
  "v1.34",
  "v1.35",
  "latest",
];
