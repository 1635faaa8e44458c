/** Objects as answered by a Kubernetes 1.36 server, with shapes that are easy to get wrong. */
import type { Json } from "../object.ts";

export interface RecordedObject {
  readonly kind: string;
  readonly message: string;
  readonly body: { [key: string]: Json };
}

export const RECORDED: readonly RecordedObject[] = [
  {
    kind: "Job",
    message: "batch/v1.Job",
    body: {
      kind: "Job",
      apiVersion: "batch/v1",
      metadata: {
        name: "ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggabcde",
        generateName: "gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        generation: 1,
        creationTimestamp: "2024-01-01T00:00:00Z",
        labels: {
          "batch.kubernetes.io/controller-uid": "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
          "batch.kubernetes.io/job-name":
            "ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggabcde",
          "controller-uid": "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
          "job-name": "ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggabcde",
        },
      },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        selector: {
          matchLabels: {
            "batch.kubernetes.io/controller-uid": "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
          },
        },
        manualSelector: false,
        template: {
          metadata: {
            labels: {
              "batch.kubernetes.io/controller-uid": "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
              "batch.kubernetes.io/job-name":
                "ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggabcde",
              "controller-uid": "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
              "job-name": "ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggabcde",
            },
          },
          spec: {
            containers: [
              {
                name: "c",
                image: "busybox:1.36",
                resources: {},
                terminationMessagePath: "/dev/termination-log",
                terminationMessagePolicy: "File",
                imagePullPolicy: "IfNotPresent",
              },
            ],
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 30,
            dnsPolicy: "ClusterFirst",
            securityContext: {},
            schedulerName: "default-scheduler",
          },
        },
        completionMode: "NonIndexed",
        suspend: false,
        podReplacementPolicy: "TerminatingOrFailed",
      },
      status: {},
    },
  },
  {
    kind: "StatefulSet",
    message: "apps/v1.StatefulSet",
    body: {
      kind: "StatefulSet",
      apiVersion: "apps/v1",
      metadata: {
        name: "ss",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        generation: 2,
        creationTimestamp: "2024-01-01T00:00:00Z",
      },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "x" } },
        template: {
          metadata: { labels: { app: "x" } },
          spec: {
            volumes: [
              { name: "v1", emptyDir: {} },
              { name: "v2", configMap: { name: "x", defaultMode: 420 } },
            ],
            containers: [
              {
                name: "c",
                image: "busybox:1.36",
                ports: [
                  { name: "web", containerPort: 80, protocol: "TCP" },
                  { containerPort: 81, protocol: "TCP" },
                ],
                env: [
                  { name: "A", value: "1" },
                  { name: "B", value: "2" },
                ],
                resources: {},
                volumeMounts: [{ name: "v1", mountPath: "/1" }],
                terminationMessagePath: "/dev/termination-log",
                terminationMessagePolicy: "File",
                imagePullPolicy: "IfNotPresent",
              },
              {
                name: "d",
                image: "nginx:1",
                resources: {},
                terminationMessagePath: "/dev/termination-log",
                terminationMessagePolicy: "File",
                imagePullPolicy: "IfNotPresent",
              },
            ],
            restartPolicy: "Always",
            terminationGracePeriodSeconds: 30,
            dnsPolicy: "ClusterFirst",
            nodeSelector: { a: "b" },
            securityContext: {},
            imagePullSecrets: [{ name: "ip2" }, { name: "ip1" }],
            schedulerName: "default-scheduler",
            tolerations: [{ key: "k", operator: "Exists" }],
          },
        },
        serviceName: "svc",
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      },
      status: { replicas: 0, availableReplicas: 0 },
    },
  },
  {
    kind: "Pod",
    message: "core/v1.Pod",
    body: {
      kind: "Pod",
      apiVersion: "v1",
      metadata: {
        name: "p",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        generation: 1,
        creationTimestamp: "2024-01-01T00:00:00Z",
      },
      spec: {
        containers: [
          {
            name: "c",
            image: "busybox:1.36",
            resources: {},
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent",
          },
          {
            name: "d",
            image: "busybox:1.36",
            resources: {},
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
            imagePullPolicy: "IfNotPresent",
          },
        ],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
        tolerations: [
          {
            key: "node.kubernetes.io/not-ready",
            operator: "Exists",
            effect: "NoExecute",
            tolerationSeconds: 300,
          },
          {
            key: "node.kubernetes.io/unreachable",
            operator: "Exists",
            effect: "NoExecute",
            tolerationSeconds: 300,
          },
        ],
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: "PreemptLowerPriority",
      },
      status: {
        phase: "Running",
        containerStatuses: [
          {
            name: "c",
            state: { running: { startedAt: "2024-01-01T00:00:00Z" } },
            lastState: {},
            ready: true,
            restartCount: 0,
            image: "busybox:1.36",
            imageID: "",
          },
          {
            name: "d",
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: {
              terminated: {
                exitCode: 1,
                reason: "Error",
                startedAt: "2024-01-01T00:00:00Z",
                finishedAt: "2024-01-01T00:10:00Z",
              },
            },
            ready: false,
            restartCount: 4,
            image: "busybox:1.36",
            imageID: "",
          },
        ],
        qosClass: "BestEffort",
      },
    },
  },
  {
    kind: "Event",
    message: "core/v1.Event",
    body: {
      kind: "Event",
      apiVersion: "v1",
      metadata: {
        name: "e",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        creationTimestamp: "2024-01-01T00:00:00Z",
      },
      involvedObject: {
        kind: "Job",
        namespace: "ns",
        name: "j",
        uid: "11111111-1111-1111-1111-111111111111",
        apiVersion: "batch/v1",
        resourceVersion: "7",
      },
      reason: "R",
      message: "m",
      source: { component: "c" },
      firstTimestamp: null,
      lastTimestamp: null,
      type: "Normal",
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    },
  },
  {
    kind: "Lease",
    message: "coordination/v1.Lease",
    body: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name: "l",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        creationTimestamp: "2024-01-01T00:00:00Z",
      },
      spec: { holderIdentity: "b" },
    },
  },
  {
    kind: "EndpointSlice",
    message: "discovery/v1.EndpointSlice",
    body: {
      kind: "EndpointSlice",
      apiVersion: "discovery.k8s.io/v1",
      metadata: {
        name: "es",
        namespace: "ns",
        uid: "0d5a3e0c-7a1f-4a5e-9d53-2f5b7c1d8e10",
        resourceVersion: "12",
        generation: 1,
        creationTimestamp: "2024-01-01T00:00:00Z",
        labels: { "kubernetes.io/service-name": "s" },
      },
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: "h",
          targetRef: {
            kind: "Pod",
            namespace: "ns",
            name: "p",
            uid: "11111111-1111-1111-1111-111111111111",
          },
          nodeName: "n",
          zone: "z",
          hints: { forZones: [{ name: "z" }] },
        },
      ],
      ports: [
        { name: "a", protocol: "UDP", port: 1, appProtocol: "dns" },
        { name: "", protocol: "TCP" },
      ],
    },
  },
];
