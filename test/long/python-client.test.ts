/** Streams as the Python client asks for them: exec with input and exit code, and a port. */
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
