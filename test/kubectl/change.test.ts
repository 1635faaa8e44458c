/**
 * Objects created and changed by flags: create, run, expose, label, patch, set, scale, and nodes.
 */
import { expect } from "vitest";
import {
  BUDGETS,
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

check("each generator creates its kind", async (prompt) => {
  const { namespace } = prompt;
  const printed = await Promise.all([
    prompt.prints("create job cj --image=busybox -- true"),
    prompt.prints("create configmap cm --from-literal=a=b"),
    prompt.prints("create secret generic s1 --from-literal=a=b"),
    prompt.prints(`create namespace ${namespace}-child`),
    prompt.prints("create service clusterip svc --tcp=80:8080"),
    prompt.prints("create serviceaccount robot"),
    prompt.prints("create priorityclass high --value=1000"),
    prompt.prints("create poddisruptionbudget pdb --selector=app=x --min-available=1"),
  ]);
  expect(printed).toEqual([
    "job.batch/cj created\n",
    "configmap/cm created\n",
    "secret/s1 created\n",
    `namespace/${namespace}-child created\n`,
    "service/svc created\n",
    "serviceaccount/robot created\n",
    "priorityclass.scheduling.k8s.io/high created\n",
    "poddisruptionbudget.policy/pdb created\n",
  ]);
  const read = await Promise.all([
    prompt.prints("get job cj -o jsonpath={.spec.template.spec.containers[0].command}"),
    prompt.prints("get cm cm -o jsonpath={.data.a}"),
    prompt.prints("get secret s1 -o jsonpath={.type}:{.data.a}"),
    prompt.prints("get svc svc -o jsonpath={.spec.ports[0].port}:{.spec.ports[0].targetPort}"),
  ]);
  expect(read).toEqual(['["true"]', "b", "Opaque:Yg==", "80:8080"]);
});

check("a Job can be created from a CronJob", async (prompt) => {
  const schedule = "--schedule=*/5 * * * *";
  const cron = ["create", "cronjob", "ccj", "--image=busybox", schedule, "--", "true"];
  expect(await prompt.prints(cron)).toBe("cronjob.batch/ccj created\n");
  expect(await prompt.prints("create job fromcron --from=cronjob/ccj")).toBe(
    "job.batch/fromcron created\n",
  );
  const owner = "jsonpath={.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}";
  expect(await prompt.prints(`get job fromcron -o ${owner}`)).toBe("CronJob/ccj");
  expect(await prompt.prints("get cj")).toMatch(
    /\nccj +\*\/5 \* \* \* \* +<none> +False +0 +<none> +\d+s\n$/,
  );
});

check("create token requires an existing account", async (prompt) => {
  await prompt.prints("create serviceaccount robot");
  expect(await prompt.prints("create token robot")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\s*$/);
  expect(await prompt.refuses("create token nobody")).toContain(
    'serviceaccounts "nobody" not found',
  );
});

check("run and expose work on a pod", async (prompt) => {
  const run = "run p1 --image=busybox --restart=Never --port=80 -- sleep 1";
  expect(await prompt.prints(run)).toBe("pod/p1 created\n");
  expect(await prompt.prints("expose pod p1 --port=80")).toBe("service/p1 exposed\n");
  expect(await prompt.prints("get svc p1 -o jsonpath={.spec.selector}")).toBe('{"run":"p1"}');
});

check("labels and annotations are added, changed and removed", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  expect(await prompt.prints("label job wj a=b")).toBe("job.batch/wj labeled\n");
  expect(await prompt.prints("label job wj a=b")).toBe("job.batch/wj not labeled\n");
  expect(await prompt.refuses("label job wj a=c")).toContain("--overwrite");
  expect(await prompt.prints("label job wj a=c --overwrite")).toBe("job.batch/wj labeled\n");
  expect(await prompt.prints("annotate job wj c=d")).toBe("job.batch/wj annotated\n");
  const both = "jsonpath={.metadata.labels.a}{.metadata.annotations}";
  expect(await prompt.prints(`get job wj -o ${both}`)).toBe('c{"c":"d"}');
  expect(await prompt.prints("label jobs --all a-")).toBe("job.batch/wj unlabeled\n");
  expect(await prompt.prints("annotate job wj c-")).toBe("job.batch/wj annotated\n");
  expect(await prompt.prints(`get job wj -o ${both}`)).toBe("");
  const wrong = await prompt.refuses(["label", "job", "wj", "a=not valid"]);
  expect(wrong).toContain("a valid label must be an empty string or consist of alphanumeric");
});

check("all three kinds of patches are applied", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const patch = (type: string, change: unknown) =>
    prompt.prints(["patch", "job", "wj", `--type=${type}`, "-p", JSON.stringify(change)]);
  const patched = "job.batch/wj patched\n";
  const replace = [{ op: "replace", path: "/spec/parallelism", value: 2 }];
  expect(await patch("json", replace)).toBe(patched);
  expect(await patch("merge", { spec: { suspend: true, activeDeadlineSeconds: 60 } })).toBe(
    patched,
  );
  expect(await patch("strategic", { metadata: { labels: { a: "b" } } })).toBe(patched);
  expect(await patch("merge", { spec: { activeDeadlineSeconds: null } })).toBe(patched);
  expect(await patch("merge", { spec: { suspend: true } })).toBe(
    "job.batch/wj patched (no change)\n",
  );
  const { spec, metadata } = JSON.parse(await prompt.prints("get job wj -o json"));
  expect(spec).toMatchObject({ parallelism: 2, suspend: true });
  expect(spec).not.toHaveProperty("activeDeadlineSeconds");
  expect(metadata.labels).toMatchObject({ a: "b" });
});

check("a patch that cannot be applied is rejected with the reason", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const patch = (type: string, change: string) =>
    prompt.refuses(["patch", "job", "wj", `--type=${type}`, "-p", change]);
  const [tested, immutable, broken] = await Promise.all([
    patch("json", '[{"op":"test","path":"/spec/parallelism","value":9}]'),
    patch("merge", '{"spec":{"completionMode":"Indexed"}}'),
    patch("merge", "{broken"),
  ]);
  expect(tested).toBe(
    "The request is invalid: the server rejected our request due to an error in our request\n",
  );
  expect(immutable).toContain('The Job "wj" is invalid: spec.completionMode: Invalid value: ');
  expect(broken).toMatch(/^Error from server \(BadRequest\): error decoding patch: /);
});

check("the status is patched as a subresource", async (prompt) => {
  await prompt.given(PODS, pod("p1"));
  const change = JSON.stringify({ status: { phase: "Running" } });
  await prompt.prints(["patch", "pod", "p1", "--subresource=status", "-p", change]);
  expect(await prompt.prints("get pod p1 --no-headers")).toMatch(/^p1 +0\/1 +Running +0 +\d+s\n$/);
});

check("images are set if they may change", async (prompt) => {
  await Promise.all([
    prompt.given(PODS, pod("p1")),
    prompt.given(STATEFUL_SETS, statefulSet("web")),
    prompt.given(JOBS, job("wj")),
  ]);
  const [ofPod, ofSet, ofJob] = await Promise.all([
    prompt.prints("set image pod/p1 main=busybox:2"),
    prompt.prints("set image sts/web main=busybox:2"),
    prompt.refuses("set image job/wj main=busybox:2"),
  ]);
  expect(ofPod).toBe("pod/p1 image updated\n");
  expect(ofSet).toBe("statefulset.apps/web image updated\n");
  expect(ofJob).toContain("field is immutable");
});

check("environment and resources of a template are set", async (prompt) => {
  await prompt.given(STATEFUL_SETS, statefulSet("web"));
  expect(await prompt.prints("set env sts/web A=b")).toBe("statefulset.apps/web env updated\n");
  expect(await prompt.prints("set resources sts/web --limits=cpu=0.5")).toBe(
    "statefulset.apps/web resource requirements updated\n",
  );
  const container = "jsonpath={.spec.template.spec.containers[0]}";
  const { env, resources } = JSON.parse(await prompt.prints(`get sts web -o ${container}`));
  expect({ env, resources }).toEqual({
    env: [{ name: "A", value: "b" }],
    resources: { limits: { cpu: "500m" } },
  });
});

check("a StatefulSet can be scaled, a Job cannot", async (prompt) => {
  await Promise.all([
    prompt.given(STATEFUL_SETS, statefulSet("web")),
    prompt.given(JOBS, job("wj")),
  ]);
  expect(await prompt.prints("scale statefulset web --replicas=3")).toBe(
    "statefulset.apps/web scaled\n",
  );
  expect(await prompt.prints("get sts web --no-headers")).toMatch(/^web +0\/3 +\d+s\n$/);
  const unmet = await prompt.refuses("scale sts web --replicas=1 --current-replicas=7");
  expect(unmet).toMatch(/\b7\b.*\b3\b/);
  expect(await prompt.refuses("scale job wj --replicas=2")).toBe(
    "Error from server (NotFound): the server could not find the requested resource\n",
  );
});

check("rollout finds existing objects and reports missing ones", async (prompt) => {
  await prompt.given(STATEFUL_SETS, statefulSet("web"));
  expect(await prompt.refuses("rollout status sts/x")).toBe(
    'Error from server (NotFound): statefulsets.apps "x" not found\n',
  );
  expect(await prompt.prints("rollout restart sts/web")).toBe("statefulset.apps/web restarted\n");
  const history = await prompt.kubectl("rollout history sts/web");
  expect(history.code).toBe(0);
});

check("a node is cordoned, tainted and uncordoned", async (prompt) => {
  await prompt.given(NODES, node("n1"));
  expect(await prompt.prints("cordon n1")).toBe("node/n1 cordoned\n");
  expect(await prompt.prints("get node n1 --no-headers")).toMatch(
    /^n1 +Unknown,SchedulingDisabled /,
  );
  expect(await prompt.prints("cordon n1")).toBe("node/n1 already cordoned\n");
  expect(await prompt.prints("uncordon n1")).toBe("node/n1 uncordoned\n");
  expect(await prompt.prints("taint node n1 key=value:NoSchedule")).toBe("node/n1 tainted\n");
  const taints = "jsonpath={.spec.taints[?(@.key=='key')].effect}";
  expect(await prompt.prints(`get node n1 -o ${taints}`)).toBe("NoSchedule");
  expect(await prompt.prints("taint node n1 key-")).toBe("node/n1 untainted\n");
});

check("a node is drained by evicting its pods", async (prompt) => {
  await prompt.given(NODES, node("n2"));
  await prompt.given(PODS, pod("p1", { nodeName: "n2" }));
  const refused = await prompt.kubectl("drain n2 --grace-period=0 --timeout=10s");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("cannot delete Pods that declare no controller");
  const drained = await prompt.kubectl("drain n2 --force --grace-period=0 --timeout=150s");
  expect(drained.stdout).toContain(`evicting pod ${prompt.namespace}/p1\n`);
  expect(drained.stdout).toMatch(/pod\/p1 evicted\nnode\/n2 drained\n$/);
  expect(drained.code).toBe(0);
  expect((await prompt.kubectl("get pods")).stdout).toBe("");
});

check("an eviction that a budget forbids is rejected, and kubectl retries", async (prompt) => {
  await prompt.given(NODES, node("n3"));
  await prompt.given(PODS, pod("p1", { nodeName: "n3" }, { app: "x" }));
  await prompt.given(BUDGETS, {
    metadata: { name: "pdb" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
  });
  const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 };
  const status = JSON.stringify({ status: { observedGeneration: 1, ...counts } });
  const merge = ["--subresource=status", "--type=merge", "-p"];
  await prompt.prints(["patch", "pdb", "pdb", ...merge, status]);
  const running = JSON.stringify({
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  await prompt.prints(["patch", "pod", "p1", ...merge, running]);
  const draining = prompt.start("drain n3 --force");
  await draining.until(/\(will retry after 5s\): Cannot evict pod as it would violate the pod's /);
  draining.process.kill("SIGKILL");
  await draining.ended;
});
