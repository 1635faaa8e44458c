/** Pure: objects with as much in them as a description can show. */
import type { Manifest } from "../kubectl/manifests.ts";

const TIME = "2026-01-02T03:04:05Z";
const LATER = "2026-01-02T04:05:06Z";

const PROBE = { initialDelaySeconds: 1, periodSeconds: 7, failureThreshold: 4 };

export const RICH_POD_SPEC = {
  restartPolicy: "OnFailure",
  serviceAccountName: "builder",
  nodeSelector: { disk: "ssd", arch: "x" },
  tolerations: [
    { key: "z", operator: "Exists" },
    { key: "a", operator: "Equal", value: "b", effect: "NoExecute", tolerationSeconds: 7 },
    { operator: "Exists" },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 2,
      topologyKey: "zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { a: "b" } },
    },
    { maxSkew: 1, topologyKey: "host", whenUnsatisfiable: "DoNotSchedule" },
  ],
  securityContext: { seccompProfile: { type: "RuntimeDefault" } },
  initContainers: [
    { name: "first", image: "busybox", command: ["sh", "-c", "echo one\necho two"] },
    { name: "side", image: "proxy:2", restartPolicy: "Always", ports: [{ containerPort: 15 }] },
  ],
  containers: [
    {
      name: "main",
      image: "busybox:1.36",
      command: ["sh"],
      args: ["-c", "sleep 1"],
      ports: [
        { containerPort: 80, name: "http", hostPort: 8080 },
        { containerPort: 53, protocol: "UDP" },
      ],
      resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "250m", memory: "64Mi" } },
      livenessProbe: { exec: { command: ["cat", "/tmp/x"] }, ...PROBE },
      readinessProbe: { httpGet: { path: "/ready path", port: "http" }, ...PROBE },
      startupProbe: { tcpSocket: { port: 80 }, ...PROBE },
      envFrom: [
        { configMapRef: { name: "cm" } },
        { prefix: "S_", secretRef: { name: "sec", optional: true } },
      ],
      env: [
        { name: "PLAIN", value: "v" },
        { name: "LINES", value: "a\nb" },
        { name: "EMPTY" },
        { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "IX", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        {
          name: "MEM",
          valueFrom: { resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } },
        },
        {
          name: "OTHER",
          valueFrom: { resourceFieldRef: { containerName: "plain", resource: "limits.memory" } },
        },
        { name: "CM", valueFrom: { configMapKeyRef: { name: "cm", key: "k" } } },
        { name: "SEC", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } },
      ],
      volumeMounts: [
        { name: "scratch", mountPath: "/z", readOnly: true },
        { name: "host", mountPath: "/a", subPath: "x y" },
      ],
    },
    { name: "plain", image: "p", securityContext: { seccompProfile: { type: "Unconfined" } } },
  ],
  volumes: [
    { name: "scratch", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    { name: "host", hostPath: { path: "/data" } },
    { name: "secret", secret: { secretName: "s", optional: true } },
    { name: "map", configMap: { name: "cm" } },
    { name: "claim", persistentVolumeClaim: { claimName: "pvc" } },
    { name: "nfs", nfs: { server: "n", path: "/p" } },
    { name: "csi", csi: { driver: "d.example", volumeAttributes: { b: "2", a: "1" } } },
    {
      name: "down",
      downwardAPI: {
        items: [
          { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
          { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu" } },
        ],
      },
    },
    {
      name: "all",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
          { configMap: { name: "ca", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          { secret: { name: "s" } },
          { downwardAPI: { items: [] } },
        ],
      },
    },
    {
      name: "own",
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: "1Gi" } },
          },
        },
      },
    },
  ],
};

export const RICH_POD_STATUS = {
  phase: "Running",
  hostIP: "10.0.0.1",
  hostIPs: [{ ip: "10.0.0.1" }],
  podIP: "10.1.0.7",
  podIPs: [{ ip: "10.1.0.7" }, { ip: "fd00::7" }],
  startTime: TIME,
  reason: "Because",
  message: "of this",
  conditions: [
    { type: "Initialized", status: "True" },
    { type: "PodScheduled", status: "True" },
    { type: "Ready", status: "False" },
  ],
  initContainerStatuses: [
    {
      name: "first",
      image: "busybox",
      imageID: "",
      ready: true,
      restartCount: 0,
      containerID: "process://x/first/0",
      state: {
        terminated: { exitCode: 0, reason: "Completed", startedAt: TIME, finishedAt: LATER },
      },
    },
  ],
  containerStatuses: [
    {
      name: "main",
      image: "busybox:1.36",
      imageID: "id",
      ready: true,
      started: true,
      restartCount: 3,
      state: { running: { startedAt: LATER } },
      lastState: {
        terminated: {
          exitCode: 137,
          signal: 9,
          reason: "OOMKilled",
          message: "too big",
          startedAt: TIME,
          finishedAt: LATER,
        },
      },
    },
    {
      name: "plain",
      image: "p",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } },
    },
  ],
};

export function metadata(name: string, more: object = {}): Manifest["metadata"] {
  return {
    name,
    labels: { tier: "back", app: name },
    annotations: {
      short: "one line",
      long: `${"0123456789".repeat(20)}`,
      lines: "first\nsecond\n",
    },
    ...more,
  };
}

export function event(about: Manifest, name: string, more: object = {}): object {
  const { apiVersion, kind } = about;
  return {
    metadata: { name },
    involvedObject: { apiVersion, kind, ...more },
    reason: "Happened",
    message: " something \n",
    type: "Normal",
    count: 1,
    source: { component: "test" },
    firstTimestamp: TIME,
    lastTimestamp: TIME,
  };
}

export const LEASE = {
  metadata: { namespace: "kube-node-lease" },
  spec: {
    holderIdentity: "n",
    leaseDurationSeconds: 40,
    acquireTime: "2026-01-02T03:04:05.000000Z",
    renewTime: "2026-01-02T03:05:05.000000Z",
  },
};

export { LATER, TIME };
