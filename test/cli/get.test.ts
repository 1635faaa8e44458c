/** "tally get" beside "kubectl get". */
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
} from "../kubectl/manifests.ts";
import { event, LATER, TIME } from "./objects.ts";
import { maskAges, type Twins, twinTests } from "./twins.ts";

const check = twinTests();

async function givenSome(twins: Twins): Promise<void> {
  await twins.given(JOBS, job("wj", { completions: 3 }, { app: "x", tier: "back" }));
  await twins.given(JOBS, job("a-much-longer-name", {}, { app: "y" }));
  await twins.withStatus(JOBS, "wj", { active: 1, ready: 0, succeeded: 1, startTime: TIME });
  await twins.given(PODS, pod("p1", {}, { app: "x" }));
  await twins.given(PODS, pod("p2", { nodeName: "elsewhere" }));
  await twins.given(STATEFUL_SETS, statefulSet("web", 2));
  const spec = { schedule: "*/5 * * * *", jobTemplate: { spec: job("x")["spec"] } };
  await twins.given("/apis/batch/v1/namespaces/NS/cronjobs", { metadata: { name: "cron" }, spec });
  const ports = [{ port: 80 }, { port: 53, name: "dns", protocol: "UDP" }];
  const named = [{ ...ports[0], name: "http" }, ports[1]];
  const service = { metadata: { name: "svc" }, spec: { selector: { app: "x" }, ports: named } };
  await twins.given("/api/v1/namespaces/NS/services", service);
  const { namespace } = twins;
  const about = { name: "wj", namespace };
  await twins.given(EVENTS, event(job("wj"), "wj.1", about));
  const second = { lastTimestamp: LATER, message: "two\nlines\twith a tab" };
  await twins.given(EVENTS, { ...event(job("wj"), "wj.2", about), ...second });
}

check("the tables of each kind, plain and wide", async (twins) => {
  await givenSome(twins);
  const name = `node-${twins.namespace}`;
  await twins.given(NODES, node(name));
  await twins.same("get job,cj,pods,statefulset,svc,events");
  await twins.same("get job,cj,pods,statefulset,svc,events -o wide");
  await twins.same(`get node ${name}`);
  await twins.same(`get node/${name} -o wide`);
});

check("names, prefixes of kinds, several kinds", async (twins) => {
  await givenSome(twins);
  await twins.same("get job wj");
  await twins.same("get job wj", { tally: "get wj" });
  await twins.same("get jobs", { tally: "get" });
  await twins.same("get job wj a-much-longer-name");
  await twins.same("get job/wj pod/p1");
  await twins.same("get jobs.batch,po");
  await twins.same("get jobs.v1.batch --show-kind");
  await twins.same("get all");
  await twins.same("get Job wj");
});

check("labels and selectors", async (twins) => {
  await givenSome(twins);
  await twins.same("get jobs --show-labels");
  await twins.same("get jobs -L app,tier");
  await twins.same("get jobs -l app=x");
  await twins.same("get jobs -l app!=x,app");
  await twins.same("get pods --field-selector spec.nodeName=elsewhere");
  await twins.same("get pods --field-selector metadata.name=none");
  await twins.same("get jobs --no-headers");
  await twins.same("get jobs --sort-by=.metadata.labels.app");
  await twins.same("get events --sort-by={.lastTimestamp}");
});

check("objects as JSON, YAML, names and by JSONPath", async (twins) => {
  const data = { "10": "<&>", "9": "a\nb\n", e: "ü" };
  await twins.given(CONFIG_MAPS, configMap("cm", data));
  await givenSome(twins);
  for (const output of ["json", "yaml", "name"]) {
    await twins.same(`get configmap cm -o ${output}`);
    await twins.same(`get jobs,pods -o ${output}`);
    await twins.same(`get pods -l nobody=has -o ${output}`);
  }
  const paths = [
    "{.items[*].metadata.name}",
    "{range .items[*]}{.metadata.name}{'\\t'}{.status.phase}{\"\\n\"}{end}",
    "{.items[?(@.metadata.name=='p1')].spec.containers[0].image}",
    "{.items[0].spec.containers}",
    "{.items[-1:].metadata.name} and text",
    "{.items[0]['metadata','kind'].name}",
    "{..nodeName}",
    "{.items[*].spec.none}",
    "{.items[0].spec.terminationGracePeriodSeconds}{.items[0].spec.enableServiceLinks}",
    "{.items[0].metadata.labels.app}",
    "{$.kind}",
  ];
  await twins.same(["get", "pods", "-o", `jsonpath=${paths.join("|")}`]);
});

check("all namespaces", async (twins) => {
  await givenSome(twins);
  const selected = "-l app in (x,none),tier!=nowhere";
  await twins.same(["get", "pods", "-A", `--field-selector=metadata.namespace=${twins.namespace}`]);
  await twins.same(["get", "jobs,pods", "-A", "-l", selected.slice(3), "--show-labels"]);
  await twins.same("get pods p1 -A");
  await twins.same("get nodes -l nobody=has");
  await twins.same("get pods -A -l nobody=has");
});

check("what is not there", async (twins) => {
  await givenSome(twins);
  await twins.same("get job none");
  await twins.same("get job wj none other");
  await twins.same("get job wj none -o name");
  await twins.same("get job none -o yaml");
  await twins.same("get job none --ignore-not-found");
  await twins.same("get deployments");
  await twins.same("get deployments,ds");
  await twins.same("get pods,wrong");
  const { code, stderr } = await twins.tallySays("get wrong");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Error from server (NotFound): jobs.batch "wrong" not found\n',
  });
});

check("a list of many pages is one table", async (twins) => {
  await Promise.all(
    Array.from({ length: 520 }, (_, at) => twins.given(CONFIG_MAPS, configMap(`cm-${at}`))),
  );
  const { stdout } = await twins.same("get configmaps");
  expect(stdout.split("\n")).toHaveLength(522);
});

check("a watch prints what is there and then each change", async (twins) => {
  await twins.given(PODS, pod("w1"));
  for (const output of ["wide", "name", "yaml"]) {
    const command = `get pods -w -o ${output}`;
    const name = `a-much-longer-name-${output}`;
    const end = `end-of-${output}`;
    const theirs = twins.start(command);
    const ours = twins.tallyStarts(command);
    await Promise.all([theirs.until(/w1/), ours.until(/w1/)]);
    await twins.given(PODS, pod(name));
    await twins.tally.call("DELETE", `${PODS.replace("NS", twins.namespace)}/${name}`);
    // Output may arrive in pieces. Everything before the name of a later pod is complete.
    await twins.given(PODS, pod(end));
    await Promise.all([theirs.until(RegExp(end)), ours.until(RegExp(end))]);
    theirs.process.kill("SIGKILL");
    const [expected, actual] = [(await theirs.ended).stdout, ours.out()].map(
      (text) => maskAges(text).split(end)[0],
    );
    expect(actual).toBe(expected);
    // Created, marked as deleted, gone.
    expect(actual?.split(name)).toHaveLength(4);
  }
});

check("a watch of one object that is not there, and of several kinds", async (twins) => {
  await twins.same("get pods none -w");
  const { code, stderr } = await twins.tallySays("get pods,jobs -w");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "tally get: --watch takes one object or the objects of one kind\n",
  });
});
