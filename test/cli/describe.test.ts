/** "tally describe" beside "kubectl describe". */
import { expect } from "vitest";
import {
  EVENTS,
  JOBS,
  job,
  type Manifest,
  NODES,
  PODS,
  pod,
  STATEFUL_SETS,
  statefulSet,
} from "../kubectl/manifests.ts";
import { event, LATER, LEASE, metadata, RICH_POD_SPEC, RICH_POD_STATUS, TIME } from "./objects.ts";
import { type Twins, twinTests } from "./twins.ts";

const check = twinTests();

const SERVICES = "/api/v1/namespaces/NS/services";
const CRON_JOBS = "/apis/batch/v1/namespaces/NS/cronjobs";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const SERVICE_ACCOUNTS = "/api/v1/namespaces/NS/serviceaccounts";

async function givenEvents(twins: Twins, resource: string, about: Manifest): Promise<void> {
  const { namespace } = twins;
  const { name } = about.metadata;
  const found = await twins.tally.call("GET", `${resource.replace("NS", namespace)}/${name}`);
  const target = { name, namespace, uid: found.json.metadata.uid };
  await twins.given(EVENTS, event(about, `${name}.1`, target));
  await twins.given(EVENTS, {
    ...event(about, `${name}.2`, { ...target, fieldPath: "spec.containers{main}" }),
    ...{ type: "Warning", reason: "BackOff", count: 12, lastTimestamp: LATER },
  });
}

check("a pod with nothing special", async (twins) => {
  await twins.given(PODS, pod("plain"));
  await twins.same("describe pod plain");
  await twins.same("describe pod/plain");
});

check("a pod with everything", async (twins) => {
  const { namespace } = twins;
  await twins.given(SERVICE_ACCOUNTS, { metadata: { name: "builder" } });
  const rich = { ...pod("rich", RICH_POD_SPEC), metadata: metadata("rich") };
  await twins.given(PODS, rich);
  await twins.withStatus(PODS, "rich", RICH_POD_STATUS);
  await givenEvents(twins, PODS, rich);
  const { stdout } = await twins.same("describe pod rich");
  expect(stdout).toContain(namespace);
});

check("a pod that is being deleted", async (twins) => {
  const finalizers = ["example.com/hold"];
  const held = { ...pod("held"), metadata: { name: "held", finalizers } };
  await twins.given(PODS, held);
  await twins.kubectl("delete pod held --wait=false");
  await twins.same("describe pod held");
});

check("a Job, running and finished", async (twins) => {
  const indexed = {
    ...job("indexed", {
      completions: 400,
      parallelism: 3,
      completionMode: "Indexed",
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 100,
      backoffLimitPerIndex: 1,
    }),
    metadata: metadata("indexed"),
  };
  await twins.given(JOBS, indexed);
  await twins.withStatus(JOBS, "indexed", {
    ...{ active: 2, ready: 1, succeeded: 49, failed: 3, startTime: TIME },
    completedIndexes: Array.from({ length: 49 }, (_, at) => at * 2).join(","),
  });
  await givenEvents(twins, JOBS, indexed);
  await twins.same("describe job indexed");
  await twins.given(JOBS, job("done"));
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    ...{ type, status: "True", lastTransitionTime: LATER, lastProbeTime: LATER },
  }));
  await twins.withStatus(JOBS, "done", {
    ...{ succeeded: 1, ready: 0, startTime: TIME, completionTime: LATER, conditions },
    uncountedTerminatedPods: {},
  });
  await twins.same("describe jobs");
  await twins.same("describe job done", { tally: "describe done" });
});

check("a Job with a template that has everything", async (twins) => {
  const { restartPolicy: _, ...spec } = RICH_POD_SPEC;
  const template = {
    metadata: { labels: { a: "b" }, annotations: { note: "x" } },
    spec: { ...spec, restartPolicy: "OnFailure" },
  };
  await twins.given(JOBS, job("rich", { template }));
  await twins.same("describe job rich");
});

check("a CronJob", async (twins) => {
  const jobTemplate = { spec: job("x")["spec"] };
  const spec = { schedule: "*/5 * * * *", jobTemplate };
  const cron = { apiVersion: "batch/v1", kind: "CronJob", metadata: metadata("cron"), spec };
  await twins.given(CRON_JOBS, cron);
  await twins.same("describe cronjob cron");
  await twins.withStatus(CRON_JOBS, "cron", {
    lastScheduleTime: TIME,
    active: [{ name: "cron-1" }, { name: "cron-2" }],
  });
  await twins.kubectl([
    "patch",
    "cronjob",
    "cron",
    '-p={"spec":{"timeZone":"Etc/UTC","startingDeadlineSeconds":30,"suspend":true}}',
  ]);
  await givenEvents(twins, CRON_JOBS, cron);
  await twins.same("describe cj/cron");
});

check("a StatefulSet with its pods and claims", async (twins) => {
  const set = { ...statefulSet("web", 2), metadata: metadata("web") };
  const claim = {
    metadata: { name: "data", labels: { a: "b" } },
    spec: {
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      storageClassName: "fast",
      resources: { requests: { storage: "1Gi" } },
    },
  };
  const spec = { ...(statefulSet("web", 2)["spec"] as object), volumeClaimTemplates: [claim] };
  await twins.given(STATEFUL_SETS, { ...set, spec });
  const found = await twins.prints("get sts web -o jsonpath={.metadata.uid}");
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", controller: true };
  const ownerReferences = [{ ...owner, uid: found }];
  const labels = { app: "web" };
  await twins.given(PODS, {
    ...pod("web-0"),
    metadata: { name: "web-0", labels, ownerReferences },
  });
  await twins.given(PODS, { ...pod("other"), metadata: { name: "other", labels } });
  await twins.same("describe sts web");
  await twins.same("describe pod web-0");
});

check("Services of each kind", async (twins) => {
  const ports = [
    { name: "http", port: 80, targetPort: 8080, appProtocol: "http" },
    { name: "dns", port: 53, protocol: "UDP", targetPort: "dns" },
  ];
  const selector = { app: "web", tier: "x" };
  const spec = { selector, ports };
  await twins.given(SERVICES, { metadata: metadata("plain"), spec });
  await twins.given(SERVICES, { metadata: { name: "node" }, spec: { ...spec, type: "NodePort" } });
  await twins.given(SERVICES, {
    metadata: { name: "headless" },
    spec: { clusterIP: "None", publishNotReadyAddresses: true },
  });
  await twins.given(SERVICES, {
    metadata: { name: "away" },
    spec: { type: "ExternalName", externalName: "example.com" },
  });
  const labels = { "kubernetes.io/service-name": "plain" };
  const endpoints = [1, 2, 3, 4, 5].map((at) => ({
    addresses: [`10.1.0.${at}`],
    conditions: { ready: at !== 2 },
  }));
  await twins.given(SLICES, {
    metadata: { name: "plain-x", labels },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  });
  for (const name of ["plain", "node", "headless", "away"]) {
    await twins.same(`describe service ${name}`);
  }
});

check("a Node with its lease, its pods and its events", async (twins) => {
  const name = `node-${twins.namespace}`;
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: metadata(name, {
      labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/hostname": name },
    }),
    spec: {
      podCIDR: "10.1.0.0/24",
      podCIDRs: ["10.1.0.0/24"],
      providerID: "x://y",
      taints: [
        { key: "b", effect: "NoSchedule" },
        { key: "a", value: "v", effect: "NoSchedule" },
      ],
    },
  };
  await twins.given(NODES, node);
  const amounts = {
    ...{ cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "10Gi" },
    ...{ "hugepages-2Mi": "0", "example.com/gpu": "2" },
  };
  await twins.withStatus(NODES, name, {
    capacity: amounts,
    allocatable: { ...amounts, cpu: "3" },
    addresses: [
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: name },
    ],
    conditions: [
      {
        ...{ type: "Ready", status: "True", reason: "KubeletReady", message: "is ready" },
        ...{ lastHeartbeatTime: LATER, lastTransitionTime: TIME },
      },
    ],
    nodeInfo: {
      ...{ machineID: "m", systemUUID: "s", bootID: "b", kernelVersion: "6.1", osImage: "Debian" },
      ...{ containerRuntimeVersion: "process://1", kubeletVersion: "v1.36.4" },
      ...{ kubeProxyVersion: "", operatingSystem: "linux", architecture: "amd64" },
    },
  });
  await twins.same(`describe node ${name}`);
  await twins.given(LEASES, { ...LEASE, metadata: { name } });
  await twins.given(SERVICE_ACCOUNTS, { metadata: { name: "builder" } });
  await twins.given(PODS, pod("rich", { ...RICH_POD_SPEC, nodeName: name }));
  await twins.given(PODS, pod("plain", { nodeName: name, overhead: undefined }));
  await twins.given(EVENTS.replace("NS", "default"), {
    ...event(node, `${name}.1`, { name, uid: name }),
    metadata: { name: `${name}.1`, namespace: "default" },
  });
  await twins.same(`describe node ${name}`);
});

check("an Event, a ResourceQuota: kinds without a description of their own", async (twins) => {
  await twins.given(JOBS, job("wj"));
  await givenEvents(twins, JOBS, job("wj"));
  await twins.same("describe event wj.2");
  await twins.same("describe events");
});

check("the beginning of a name, several at once, and what is not there", async (twins) => {
  await Promise.all(["same-a", "same-b", "else"].map((name) => twins.given(JOBS, job(name))));
  await twins.same("describe job same");
  await twins.same("describe job else same-b");
  await twins.same("describe job nothing");
  await twins.same("describe pods");
  await twins.same("describe pods -A -l nobody=has");
  await twins.same("describe job else --show-events=false", {
    tally: "describe job else --no-show-events",
  });
});
