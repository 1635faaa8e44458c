/** "kubectl describe", which reads typed objects as protobuf, and related objects. */
import { expect } from "vitest";
import {
  CONFIG_MAPS,
  configMap,
  EVENTS,
  JOBS,
  job,
  NODES,
  node,
  PODS,
  pod,
  STATEFUL_SETS,
  statefulSet,
} from "./manifests.ts";
import { kubectlTests } from "./prompt.ts";

const check = kubectlTests();

check("a Job is described with its events", async (prompt) => {
  await prompt.given(JOBS, job("wj", { parallelism: 2, completions: 4 }, { app: "x" }));
  const uid = await prompt.prints("get job wj -o jsonpath={.metadata.uid}");
  const { namespace } = prompt;
  const kind = { apiVersion: "batch/v1", kind: "Job" };
  await prompt.given(EVENTS, {
    metadata: { name: "wj.1" },
    involvedObject: { ...kind, name: "wj", namespace, uid },
    ...{ reason: "SuccessfulCreate", message: "Created pod: wj-abc", type: "Normal", count: 1 },
    source: { component: "job-controller" },
  });
  const text = await prompt.prints("describe job wj");
  expect(text).toMatch(new RegExp(`^Name: +wj\nNamespace: +${namespace}\nSelector: +batch`));
  expect(text).toMatch(/^Labels: +app=x$/m);
  expect(text).toMatch(/^Parallelism: +2\nCompletions: +4\nCompletion Mode: +NonIndexed\n/m);
  expect(text).toMatch(/^Pods Statuses: +0 Active( \(0 Ready\))? \/ 0 Succeeded \/ 0 Failed$/m);
  expect(text).toMatch(/^ {4}Image: +busybox:1\.36$/m);
  expect(text).toMatch(/ Normal +SuccessfulCreate .* job-controller +Created pod: wj-abc\n$/);
});

check("a pod is described", async (prompt) => {
  const volumes = [{ name: "scratch", emptyDir: {} }];
  await prompt.given(PODS, pod("p1", { volumes, nodeSelector: { disk: "ssd" } }));
  const text = await prompt.prints("describe pod p1");
  expect(text).toMatch(/^Name: +p1\n/);
  expect(text).toMatch(/^Node: +<none>$/m);
  expect(text).toMatch(/^Status: +Pending$/m);
  expect(text).toMatch(/^ {2}scratch:\n {4}Type: +EmptyDir /m);
  expect(text).toMatch(/^QoS Class: +BestEffort\nNode-Selectors: +disk=ssd$/m);
  expect(text).toMatch(/^Events: +<none>\n$/m);
});

check("a service is described", async (prompt) => {
  await prompt.prints("create service clusterip svc --tcp=80:8080");
  const text = await prompt.prints("describe service svc");
  expect(text).toMatch(/^Selector: +app=svc\nType: +ClusterIP\nIP Family Policy: +SingleStack$/m);
  expect(text).toMatch(
    /^Port: +80-8080 {2}80\/TCP\nTargetPort: +8080\/TCP\nEndpoints: +(<none>)?$/m,
  );
});

check("a node is described with the pods on it", async (prompt) => {
  await prompt.given(NODES, node("described"));
  await prompt.given(PODS, pod("p1", { nodeName: "described" }));
  const text = await prompt.prints("describe node described");
  expect(text).toMatch(/^Name: +described\nRoles: +<none>\nLabels: +kubernetes\.io\/hostname=/);
  expect(text).toMatch(/^Unschedulable: +false$/m);
  expect(text).toMatch(/^Non-terminated Pods: +\(1 in total\)$/m);
  expect(text).toMatch(new RegExp(`^ {2}${prompt.namespace} +p1 +0 \\(0%\\)`, "m"));
});

check("a namespace, a ConfigMap and a Secret are described", async (prompt) => {
  await prompt.given(CONFIG_MAPS, configMap("cm", { key: "of the map" }));
  await prompt.prints("create secret generic s1 --from-literal=password=hidden");
  const [namespace, map, secret] = await Promise.all([
    prompt.prints(`describe namespace ${prompt.namespace}`),
    prompt.prints("describe configmap cm"),
    prompt.prints("describe secret s1"),
  ]);
  expect(namespace).toMatch(/^Name: +ns-\d+\nLabels: +kubernetes\.io\/metadata\.name=ns-\d+\n/);
  expect(namespace).toMatch(/^Status: +Active$/m);
  expect(map).toMatch(/\nData\n====\nkey:\n----\nof the map\n/);
  expect(secret).toMatch(/\nType: +Opaque\n\nData\n====\npassword: +6 bytes\n$/);
  expect(secret).not.toContain("hidden");
});

check("a StatefulSet and a CronJob are described", async (prompt) => {
  await prompt.given(STATEFUL_SETS, statefulSet("web", 2));
  const schedule = "--schedule=0 * * * *";
  await prompt.prints(["create", "cronjob", "cron", "--image=busybox", schedule]);
  const [set, cron] = await Promise.all([
    prompt.prints("describe sts web"),
    prompt.prints("describe cronjob cron"),
  ]);
  expect(set).toMatch(/^Replicas: +2 desired \| 0 total$/m);
  expect(cron).toMatch(/^Schedule: +0 \* \* \* \*\nConcurrency Policy: +Allow\nSuspend: +False$/m);
});

check("a prefix describes all matches, and no match is an error", async (prompt) => {
  await Promise.all([prompt.given(JOBS, job("same-a")), prompt.given(JOBS, job("same-b"))]);
  const text = await prompt.prints("describe job same");
  expect(text.match(/^Name: +same-[ab]$/gm)).toHaveLength(2);
  expect(await prompt.refuses("describe job other")).toBe(
    'Error from server (NotFound): jobs.batch "other" not found\n',
  );
});
