/**
 * The requests of kubectl and their answers, command by command, as recorded against Kubernetes
 * 1.36. Discovery requests are left out, because they depend on kubectl's cache.
 */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { JOBS, job, PODS, pod } from "./manifests.ts";
import { kubectlTests, type Prompt } from "./prompt.ts";
import { resourceRequests } from "./requests.ts";

const check = kubectlTests();

const JOB = "/apis/batch/v1/namespaces/NS/jobs/wj";
const POD = "/api/v1/namespaces/NS/pods/p1";

check("apply", async (prompt) => {
  const file = await fileOf(prompt, job("wj"));
  const tracked = "fieldManager=kubectl-client-side-apply";
  const strict = "fieldValidation=Strict";
  expect(await requests(prompt, `apply -f ${file}`)).toEqual([
    `GET ${JOB} 404`,
    `POST ${JOBS}?${tracked}&${strict} 201`,
  ]);
  const changed = await fileOf(prompt, job("wj", { parallelism: 2 }));
  expect(await requests(prompt, `diff -f ${changed}`, 1)).toEqual([
    `GET ${JOB} 200`,
    `PATCH ${JOB}?dryRun=All&${tracked} 200`,
  ]);
  expect(await requests(prompt, `apply -f ${changed}`)).toEqual([
    `GET ${JOB} 200`,
    `PATCH ${JOB}?${tracked}&${strict} 200`,
  ]);
});

check("get", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const wanted: readonly (readonly [string, string])[] = [
    ["get jobs", `GET ${JOBS}?limit=500 200`],
    ["get jobs -o wide", `GET ${JOBS}?limit=500 200`],
    ["get job wj -o yaml", `GET ${JOB} 200`],
    ["get pods -l job-name=wj", `GET ${PODS}?labelSelector=job-name%3Dwj&limit=500 200`],
    ["get events", "GET /api/v1/namespaces/NS/events?limit=500 200"],
    ["events", "GET /api/v1/namespaces/NS/events?limit=500 200"],
    ["rollout status sts/x", "GET /apis/apps/v1/namespaces/NS/statefulsets/x 404"],
  ];
  const seen = await Promise.all(
    wanted.map(([command]) => requests(prompt, command, command.startsWith("rollout") ? 1 : 0)),
  );
  expect(seen).toEqual(wanted.map(([, line]) => [line]));
});

check("describe", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const uid = await prompt.prints("get job wj -o jsonpath={.metadata.uid}");
  const [first, second, events = ""] = await requests(prompt, "describe job wj");
  expect([first, second]).toEqual([`GET ${JOB} 200`, `GET ${JOB} 200`]);
  const [path, selector = ""] = decodeURIComponent(events).split("?fieldSelector=");
  expect(path).toBe("GET /api/v1/namespaces/NS/events");
  const fields = { kind: "Job", name: "wj", namespace: prompt.namespace, uid };
  for (const [field, value] of Object.entries(fields)) {
    expect(selector).toContain(`involvedObject.${field}=${value}`);
  }
  expect(selector).toMatch(/&limit=500 200$/);
});

check("create", async (prompt) => {
  const query = "fieldManager=kubectl-create&fieldValidation=Strict";
  const name = `${prompt.namespace}-wns`;
  const core = "/api/v1/namespaces/NS";
  const cron = ["create", "cronjob", "ccj", "--image=busybox", "--schedule=*/5 * * * *"];
  const seen = await Promise.all([
    requests(prompt, "create job cj --image=busybox -- true"),
    requests(prompt, cron),
    requests(prompt, "create configmap cm --from-literal=a=b"),
    requests(prompt, "create secret generic s1 --from-literal=a=b"),
    requests(prompt, `create namespace ${name}`),
  ]);
  expect(seen).toEqual([
    [`POST ${JOBS}?${query} 201`],
    [`POST /apis/batch/v1/namespaces/NS/cronjobs?${query} 201`],
    [`POST ${core}/configmaps?${query} 201`],
    [`POST ${core}/secrets?${query} 201`],
    [`POST /api/v1/namespaces?${query} 201`],
  ]);
  expect(await requests(prompt, "create job fromcron --from=cronjob/ccj")).toEqual([
    "GET /apis/batch/v1/namespaces/NS/cronjobs/ccj 200",
    `POST ${JOBS}?${query} 201`,
  ]);
  expect(await requests(prompt, `delete ns ${name} --wait=false`)).toEqual([
    "DELETE /api/v1/namespaces/NS-wns 200",
  ]);
});

check("label, annotate, patch and scale", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  expect(await requests(prompt, "label job wj a=b")).toEqual([
    `GET ${JOB} 200`,
    `PATCH ${JOB}?fieldManager=kubectl-label 200`,
  ]);
  expect(await requests(prompt, "annotate job wj c=d")).toEqual([
    `GET ${JOB} 200`,
    `PATCH ${JOB}?fieldManager=kubectl-annotate 200`,
  ]);
  expect(
    await requests(prompt, ["patch", "job", "wj", "-p", '{"spec":{"parallelism":1}}']),
  ).toEqual([`GET ${JOB} 200`, `PATCH ${JOB}?fieldManager=kubectl-patch 200`]);
  expect(await requests(prompt, "scale job wj --replicas=2", 1)).toEqual([
    `GET ${JOB} 200`,
    `PATCH ${JOB}/scale 404`,
  ]);
});

check("run, expose, logs and exec", async (prompt) => {
  expect(await requests(prompt, "run p1 --image=busybox --restart=Never -- sleep 1")).toEqual([
    `POST ${PODS}?fieldManager=kubectl-run 201`,
  ]);
  const [expose, logs, exec] = await Promise.all([
    requests(prompt, "expose pod p1 --port=80"),
    requests(prompt, "logs p1"),
    requests(prompt, "exec p1 -- ls", 1),
  ]);
  expect(expose).toEqual([
    `GET ${POD} 200`,
    "POST /api/v1/namespaces/NS/services?fieldManager=kubectl-expose 201",
  ]);
  expect(logs).toEqual([`GET ${POD} 200`, `GET ${POD}/log?container=p1 204`]);
  expect(exec[0]).toBe(`GET ${POD} 200`);
  expect(exec.at(-1)).toBe(`POST ${POD}/exec?command=ls&container=p1&stderr=true&stdout=true 400`);
});

check("delete and replace", async (prompt) => {
  const file = await fileOf(prompt, job("wj"));
  await prompt.given(PODS, pod("p1"));
  const replaced = await requests(prompt, `replace --force -f ${file}`);
  expect(replaced[0]).toBe(`DELETE ${JOB} 404`);
  expect(replaced.at(-1)).toBe(
    `POST ${JOBS}?fieldManager=kubectl-replace&fieldValidation=Strict 201`,
  );
  const [ofJob, ofPod] = await Promise.all([
    requests(prompt, "delete job wj"),
    requests(prompt, "delete pod p1 --now"),
  ]);
  expect(ofJob.slice(0, 2)).toEqual([`DELETE ${JOB} 200`, `GET ${JOB} 404`]);
  expect(ofPod.slice(0, 2)).toEqual([`DELETE ${POD} 200`, `GET ${POD} 404`]);
});

check("auth and cluster-info", async (prompt) => {
  const review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const [allowed, info] = await Promise.all([
    requests(prompt, "auth can-i create jobs"),
    requests(prompt, "cluster-info"),
  ]);
  expect(allowed.at(-1)).toBe(`POST ${review} 201`);
  const selector = "labelSelector=kubernetes.io%2Fcluster-service%3Dtrue";
  // It looks in kube-system only if no namespace is given.
  expect(info).toEqual([`GET /api/v1/namespaces/NS/services?${selector} 200`]);
});

check("a pod without a node has an empty log and accepts no connections", async (prompt) => {
  await prompt.given(PODS, pod("p1"));
  expect(await prompt.prints("logs p1")).toBe("");
  expect(await prompt.refuses("logs p1 -c other")).toMatch(/other.*p1/);
  const [exec, attach, forward] = await Promise.all([
    prompt.refuses("exec p1 -- ls"),
    prompt.kubectl("attach p1 --pod-running-timeout=1s"),
    prompt.kubectl("port-forward p1 0:80 --pod-running-timeout=1s"),
  ]);
  expect(exec).toContain("pod p1 does not have a host assigned");
  expect(attach.code).toBe(1);
  expect(attach.stderr).toContain("pod p1 does not have a host assigned");
  expect(forward).toMatchObject({
    code: 1,
    stderr: "error: unable to forward port because pod is not running. Current status=Pending\n",
  });
});

check("a Job without pods has no log", async (prompt) => {
  await prompt.given(JOBS, job("wj"));
  const refused = await prompt.refuses("logs job/wj --pod-running-timeout=1s");
  expect(refused).toContain("timed out");
});

check("debug without an image fails before it sends a request", async (prompt) => {
  expect(await prompt.refuses("debug wj")).toContain("--image");
  expect(await requests(prompt, "debug wj", 1)).toEqual([]);
});

/** The requests of a command, with the namespace replaced by NS, so that they can be compared. */
async function requests(
  prompt: Prompt,
  command: string | readonly string[],
  code = 0,
): Promise<string[]> {
  const words = typeof command === "string" ? command.split(" ") : command;
  // Before the words, because kubectl ignores flags after "--".
  const outcome = await prompt.kubectl(["-v=6", ...words]);
  expect(outcome.code, `${command}\n${outcome.stderr}`).toBe(code);
  return resourceRequests(outcome.stderr).map((line) => line.replace(prompt.namespace, "NS"));
}

async function fileOf(prompt: Prompt, manifest: object): Promise<string> {
  const file = path.join(prompt.home, `${prompt.namespace}.json`);
  await writeFile(file, JSON.stringify(manifest));
  return file;
}
