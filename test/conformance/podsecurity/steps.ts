/**
 * Requests about namespaces, workloads and changes of pods, in the order in which they are
 * recorded.
 */
import type { RecordedStep } from "./recording.ts";

export type Step = Omit<RecordedStep, "answer">;
type Fields = { readonly [field: string]: unknown };

const LABEL = "pod-security.kubernetes.io/";

function labels(short: { readonly [name: string]: string }): { [label: string]: string } {
  return Object.fromEntries(
    Object.entries(short).map(([name, value]) => [`${LABEL}${name}`, value]),
  );
}

function namespace(name: string, short: { readonly [name: string]: string } = {}): Step {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: labels(short) } };
  return { method: "POST", path: "/api/v1/namespaces", body };
}

function merge(path: string, body: Fields): Step {
  const headers = { "Content-Type": "application/merge-patch+json" };
  return { method: "PATCH", path, body, headers };
}

function relabel(name: string, short: { readonly [name: string]: string | null }): Step {
  const changed = labels(short as { [name: string]: string });
  return merge(`/api/v1/namespaces/${name}`, { metadata: { labels: changed } });
}

const PRIVILEGED_SPEC = {
  hostNetwork: true,
  containers: [
    { name: "c", image: "i", securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
  ],
};
const PLAIN_SPEC = { containers: [{ name: "c", image: "i" }] };

function create(namespaceName: string, object: Fields, query = ""): Step {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const path = `${group}/namespaces/${namespaceName}/${kind.toLowerCase()}s${query}`;
  return { method: "POST", path, body: object };
}

function pod(name: string, spec: Fields, metadata: Fields = {}): Fields {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec };
}

function workloads(spec: Fields): readonly Fields[] {
  const labelled = { app: "w" };
  const template = { metadata: { labels: labelled }, spec };
  const once = { metadata: {}, spec: { ...spec, restartPolicy: "Never" } };
  const selector = { matchLabels: labelled };
  const metadata = { name: "w" };
  return [
    { apiVersion: "v1", kind: "PodTemplate", metadata, template },
    { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { template } },
    { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { selector, template } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector, template } },
    { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector, template } },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata,
      spec: { selector, template, serviceName: "w" },
    },
    { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template: once } },
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata,
      spec: { schedule: "@daily", jobTemplate: { spec: { template: once } } },
    },
  ];
}

const WRONG_LABELS: readonly { readonly [name: string]: string }[] = [
  { enforce: "none" },
  { enforce: "" },
  { enforce: "Baseline" },
  { audit: "x" },
  { warn: "x" },
  { "enforce-version": "1.24" },
  { "enforce-version": "v1.01" },
  { "enforce-version": "v2.0" },
  { "enforce-version": "v1.99999999999999999999" },
  { "audit-version": "newest" },
  { "warn-version": "v1" },
  { enforce: "a", "enforce-version": "b", audit: "c", "audit-version": "d", warn: "e" },
];

function namespaceSteps(): readonly Step[] {
  return [
    ...WRONG_LABELS.map((wrong, index) => namespace(`wrong-${index}`, wrong)),
    namespace("right", { enforce: "restricted", "enforce-version": "v1.99", audit: "baseline" }),
    ...WRONG_LABELS.map((wrong) => relabel("right", wrong)),
    relabel("right", { enforce: null, "enforce-version": null, other: "label" }),
  ];
}

function tighteningSteps(): readonly Step[] {
  const owned = (uid: string, controller: boolean): Fields => ({
    ownerReferences: [
      { apiVersion: "v1", kind: "ReplicationController", name: "o", uid, controller },
    ],
  });
  const path = { volumes: [{ name: "v", hostPath: { path: "/" } }] };
  return [
    namespace("tight"),
    create("tight", pod("plain", PLAIN_SPEC)),
    create("tight", pod("one", PRIVILEGED_SPEC)),
    relabel("tight", { enforce: "privileged" }),
    relabel("tight", { enforce: "baseline" }),
    relabel("tight", { enforce: "privileged" }),
    create("tight", pod("three", PRIVILEGED_SPEC, owned("u-1", true))),
    relabel("tight", { enforce: "baseline", "enforce-version": "v1.20" }),
    relabel("tight", { "enforce-version": "v1.21" }),
    relabel("tight", { enforce: "privileged", "enforce-version": null }),
    create("tight", pod("another", PRIVILEGED_SPEC, owned("u-1", true))),
    create("tight", pod("path", { ...PLAIN_SPEC, ...path }, owned("u-2", false))),
    relabel("tight", { enforce: "baseline", warn: "restricted" }),
    relabel("tight", { enforce: "restricted" }),
    relabel("tight", { enforce: "baseline" }),
    relabel("tight", { enforce: "nonsense" }),
    relabel("tight", { enforce: "restricted", "enforce-version": "v1.0" }),
  ];
}

function templateSteps(): readonly Step[] {
  return [
    namespace("enforcing", { enforce: "baseline" }),
    namespace("warning", { warn: "restricted", audit: "baseline", "audit-version": "v1.20" }),
    namespace("silent", { enforce: "baseline", warn: "privileged" }),
    ...["enforcing", "warning", "silent"].flatMap((name) => [
      ...workloads(PRIVILEGED_SPEC).map((object) => create(name, object, "?dryRun=All")),
      ...workloads(PLAIN_SPEC).map((object) => create(name, object)),
      create(name, pod("p", PRIVILEGED_SPEC)),
      create(name, pod("q", PLAIN_SPEC)),
      create(name, { ...pod("", PRIVILEGED_SPEC), metadata: { generateName: "generated-" } }),
      create(name, { ...pod("", PLAIN_SPEC), metadata: { generateName: "generated-" } }),
    ]),
    merge("/apis/apps/v1/namespaces/warning/deployments/w", {
      spec: { template: { spec: { hostPID: true } } },
    }),
    merge("/apis/apps/v1/namespaces/warning/deployments/w", { metadata: { labels: { a: "b" } } }),
    merge("/apis/apps/v1/namespaces/warning/deployments/w/scale", { spec: { replicas: 3 } }),
    merge("/apis/batch/v1/namespaces/warning/cronjobs/w", {
      spec: { jobTemplate: { spec: { template: { spec: { hostIPC: true } } } } },
    }),
    create("enforcing", { ...pod("both", { ...PRIVILEGED_SPEC, nodeSelector: { a: "b" } }) }),
    create("enforcing", pod("invalid", { ...PRIVILEGED_SPEC, restartPolicy: "Sometimes" })),
    create("enforcing", pod("q", PLAIN_SPEC)),
    create("enforcing", pod("q", PRIVILEGED_SPEC)),
  ];
}

function updateSteps(): readonly Step[] {
  const base = "/api/v1/namespaces/changing/pods/p";
  const debugging = (name: string, securityContext: Fields): Fields => ({
    spec: { ephemeralContainers: [{ name, image: "i", securityContext }] },
  });
  const strategic = (path: string, body: Fields): Step => ({
    method: "PATCH",
    path,
    body,
    headers: { "Content-Type": "application/strategic-merge-patch+json" },
  });
  const adding = { capabilities: { add: ["NET_ADMIN"] } };
  return [
    namespace("changing"),
    create("changing", pod("p", PRIVILEGED_SPEC)),
    create("changing", pod("q", PLAIN_SPEC)),
    relabel("changing", { enforce: "baseline", warn: "restricted" }),
    merge(base, { metadata: { labels: { a: "b" }, annotations: { c: "d" } } }),
    merge(base, { spec: { activeDeadlineSeconds: 100 } }),
    strategic(base, { spec: { tolerations: [{ key: "k", operator: "Exists" }] } }),
    strategic(base, { spec: { containers: [{ name: "c", image: "other" }] } }),
    merge(`${base}/status`, { status: { phase: "Running" } }),
    strategic(`${base}/ephemeralcontainers`, debugging("d", {})),
    strategic("/api/v1/namespaces/changing/pods/q/ephemeralcontainers", debugging("d", adding)),
    strategic("/api/v1/namespaces/changing/pods/q/ephemeralcontainers", debugging("d", {})),
    strategic("/api/v1/namespaces/changing/pods/q/ephemeralcontainers", debugging("e", adding)),
    strategic("/api/v1/namespaces/changing/pods/q", {
      spec: { containers: [{ name: "c", image: "other" }] },
    }),
    merge("/api/v1/namespaces/changing/pods/q", {
      metadata: {
        annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
      },
    }),
    merge("/api/v1/namespaces/changing", {
      metadata: { labels: labels({ enforce: "restricted" }) },
    }),
    strategic("/api/v1/namespaces/changing/pods/q", {
      spec: { containers: [{ name: "c", image: "third" }] },
    }),
  ];
}

/** Texts of clients that end up in a header, and warnings that exceed the limit of a header. */
function oddTextSteps(): readonly Step[] {
  const probed = (host: string): Fields => ({
    containers: [{ name: "c", image: "i", livenessProbe: { tcpSocket: { port: 1, host } } }],
  });
  const hosts = [
    '"',
    "\\",
    "é",
    "日本",
    "a\nb",
    "\u0001",
    "\u009b",
    "\u{1f600}",
    "\t",
    "h".repeat(5000),
  ];
  const names = (count: number): readonly Fields[] =>
    Array.from({ length: count }, (_, index) => ({
      name: `v-${index}-${"x".repeat(40)}`,
      hostPath: { path: "/" },
    }));
  return [
    namespace("odd", { warn: "restricted", "warn-version": "v1.36" }),
    namespace("odd-enforced", { enforce: "baseline" }),
    ...hosts.flatMap((host, index) => [
      create("odd", pod(`p-${index}`, probed(host)), "?dryRun=All"),
      create("odd-enforced", pod(`p-${index}`, probed(host)), "?dryRun=All"),
    ]),
    ...[10, 60, 80, 100, 1000].map((count) =>
      create("odd", pod(`v-${count}`, { ...PLAIN_SPEC, volumes: names(count) }), "?dryRun=All"),
    ),
  ];
}

export const STEPS: readonly Step[] = [
  ...namespaceSteps(),
  ...tighteningSteps(),
  ...templateSteps(),
  ...updateSteps(),
  ...oddTextSteps(),
];

export const CONFIGURATION = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: PodSecurity
    configuration:
      apiVersion: pod-security.admission.config.k8s.io/v1
      kind: PodSecurityConfiguration
      defaults:
        enforce: baseline
        enforce-version: latest
        audit: restricted
        audit-version: v1.24
        warn: restricted
        warn-version: latest
      exemptions:
        usernames: [trusted]
        runtimeClasses: [exempt]
        namespaces: [exempt, exempt-too]
`;

const AS_TRUSTED = { "Impersonate-User": "trusted", "Impersonate-Group": "system:masters" };

function configured(): readonly Step[] {
  const runtimeClass = {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "exempt" },
    handler: "h",
  };
  const exempt = { ...PRIVILEGED_SPEC, runtimeClassName: "exempt" };
  return [
    { method: "POST", path: "/apis/node.k8s.io/v1/runtimeclasses", body: runtimeClass },
    namespace("plain"),
    namespace("loose", { enforce: "privileged", audit: "privileged", warn: "privileged" }),
    namespace("half", { enforce: "privileged" }),
    namespace("exempt", { enforce: "restricted" }),
    namespace("exempt-too"),
    relabel("exempt-too", { enforce: "restricted", warn: "baseline", "warn-version": "v1.20" }),
    relabel("exempt-too", { enforce: null, audit: "restricted" }),
    ...["plain", "loose", "half", "exempt"].flatMap((name) => [
      create(name, pod("p", PRIVILEGED_SPEC)),
      create(name, pod("q", PLAIN_SPEC)),
      create(name, pod("r", exempt)),
      { ...create(name, pod("s", PRIVILEGED_SPEC)), headers: AS_TRUSTED },
      ...workloads(PRIVILEGED_SPEC).map((object) => create(name, object, "?dryRun=All")),
      ...workloads(exempt).map((object) => create(name, object, "?dryRun=All")),
      {
        ...create(name, workloads(PRIVILEGED_SPEC)[3] ?? {}, "?dryRun=All"),
        headers: AS_TRUSTED,
      },
    ]),
    relabel("loose", { enforce: "restricted" }),
    relabel("loose", { enforce: null }),
    relabel("half", { enforce: null }),
  ];
}

export const CONFIGURED_STEPS: readonly Step[] = configured();
