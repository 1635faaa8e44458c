/**
 * The unmodified Python client: Jobs from creation to deletion, watches, logs, exec, and a port.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script } from "../agent/cluster.ts";

const run = promisify(execFile);

const PROGRAM = `
import sys
from kubernetes import client, config
from kubernetes.stream import stream, portforward

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
asked = dict(container="c", stdin=True, stdout=True, stderr=True, tty=False)
command = ["sh", "-c", "read x; echo out $x; echo err >&2; exit 7"]
answer = stream(core.connect_get_namespaced_pod_exec, "p", "default", command=command,
                _preload_content=False, **asked)
answer.write_stdin("typed\\n")
answer.run_forever(timeout=30)
print(answer.read_stdout().strip(), answer.read_stderr().strip(), answer.returncode)
whole = stream(core.connect_get_namespaced_pod_exec, "p", "default", command=["echo", "whole"],
               container="c", stdin=False, stdout=True, stderr=True, tty=False)
print(whole.strip())
port = int(sys.argv[2])
forward = core.connect_get_namespaced_pod_portforward
forwarded = portforward(forward, "p", "default", ports=str(port))
connection = forwarded.socket(port)
connection.setblocking(True)
connection.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
heard = b""
while True:
    piece = connection.recv(65536)
    if not piece:
        break
    heard += piece
print(heard.split(b"\\r\\n\\r\\n")[1].decode(), forwarded.error(port))
`;

const JOBS_PROGRAM = `
import sys, time
from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import stream

config.load_kube_config(sys.argv[1])
core, batch = client.CoreV1Api(), client.BatchV1Api()

def job(name, script, completions=1):
    container = client.V1Container(name="c", image="busybox", command=["sh", "-c", script])
    spec = client.V1PodSpec(restart_policy="Never", containers=[container])
    return client.V1Job(
        metadata=client.V1ObjectMeta(name=name, labels={"suite": "python"}),
        spec=client.V1JobSpec(completions=completions, parallelism=completions,
                              completion_mode="Indexed",
                              template=client.V1PodTemplateSpec(spec=spec)))

def pods(name):
    selector = "batch.kubernetes.io/job-name=" + name
    return core.list_namespaced_pod("default", label_selector=selector).items

made = batch.create_namespaced_job("default", job("seen", "echo index $JOB_COMPLETION_INDEX", 2))
print("created", made.spec.backoff_limit, made.metadata.creation_timestamp.tzinfo is not None)
first = made.metadata.resource_version
for event in watch.Watch().stream(batch.list_namespaced_job, "default", resource_version=first,
                                  label_selector="suite=python", timeout_seconds=60):
    status = event["object"].status
    if any(each.type == "Complete" for each in status.conditions or []):
        print("watched", event["type"], status.completed_indexes, status.succeeded)
        break
name = sorted(pods("seen"), key=lambda pod: pod.metadata.name)[0].metadata.name
print("log", core.read_namespaced_pod_log(name, "default").strip())
for line in watch.Watch().stream(core.read_namespaced_pod_log, name, "default"):
    print("followed", line)

batch.create_namespaced_job("default", job("entered", "sleep 1000"))
while not any(pod.status.phase == "Running" for pod in pods("entered")):
    time.sleep(0.05)
inside = stream(core.connect_get_namespaced_pod_exec, pods("entered")[0].metadata.name, "default",
                command=["echo", "inside"], stdin=False, stdout=True, stderr=True, tty=False)
print("exec", inside.strip())
patched = batch.patch_namespaced_job("entered", "default", {"spec": {"suspend": True}})
print("patched", patched.spec.suspend)
while pods("entered"):
    time.sleep(0.05)
stale = batch.read_namespaced_job("entered", "default")
stale.metadata.resource_version = "1"
try:
    batch.replace_namespaced_job("entered", "default", stale)
except ApiException as refused:
    print("refused", refused.status, refused.reason)
deleted = batch.delete_collection_namespaced_job("default", label_selector="suite=python",
                                                 propagation_policy="Background")
while batch.list_namespaced_job("default").items or pods("seen"):
    time.sleep(0.05)
print("deleted")
`;

const JOBS_PRINTED = [
  "created 6 True",
  "watched MODIFIED 0,1 2",
  "log index 0",
  "followed index 0",
  "exec inside",
  "patched True",
  "refused 409 Conflict",
  "deleted",
];

let cluster: Cluster;
let directory: string;
let problem: string | undefined;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "tally-python-"));
  try {
    await run("python3", ["-m", "venv", path.join(directory, "venv")]);
    await run(path.join(directory, "venv/bin/pip"), ["install", "--quiet", "kubernetes"]);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
    return;
  }
  cluster = await Cluster.start();
  await cluster.createPod("p", { containers: [script("sleep 1000")] });
  await cluster.podThat("p", ({ status }) => status.phase === "Running");
}, 300_000);

afterAll(async () => {
  await cluster?.dispose();
  await rm(directory, { recursive: true, force: true });
});

test("the Python client executes commands and reaches a port", async (context) => {
  if (problem !== undefined) return context.skip(`no Python client: ${problem}`);
  const server = createServer((_request, response) => response.end("served"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const program = path.join(directory, "streams.py");
  await writeFile(program, PROGRAM);
  const python = path.join(directory, "venv/bin/python");
  const { stdout } = await run(python, [program, cluster.tally.kubeconfig, String(port)], {
    timeout: 60_000,
  });
  server.close();
  expect(stdout.split("\n").slice(0, 3)).toEqual(["out typed err 7", "whole", "served None"]);
}, 120_000);

test("the Python client makes Jobs, sees them through and deletes them", async (context) => {
  if (problem !== undefined) return context.skip(`no Python client: ${problem}`);
  const program = path.join(directory, "jobs.py");
  await writeFile(program, JOBS_PROGRAM);
  const python = path.join(directory, "venv/bin/python");
  const { stdout } = await run(python, [program, cluster.tally.kubeconfig], { timeout: 60_000 });
  expect(stdout.trim().split("\n")).toEqual(JOBS_PRINTED);
}, 120_000);
