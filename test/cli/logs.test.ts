/**
 * "tally logs" beside "kubectl logs". The server runs in this process; its logs are made up, and
 * say what they were asked for.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatKubeconfig } from "../../src/access/kubeconfig.ts";
import type { LogRequest, LogSource } from "../../src/api/log-source.ts";
import { runCommandLine } from "../../src/cli/main.ts";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import { testMachine } from "../builders/machine.ts";
import { aServer, type TestServer } from "../builders/server.ts";
import { type FoundKubectl, findKubectl } from "../kubectl/find-kubectl.ts";
import { JOBS, job, PODS, pod } from "../kubectl/manifests.ts";
import { follow, type Outcome, refuseUnlistedSkip } from "../kubectl/prompt.ts";
import { ask } from "../support/ask.ts";

const SERVED_MINOR = 36;
const ON_NODE = { nodeName: "n" };

let found: FoundKubectl = { missing: "not looked for" };
let directory: string;
let server: TestServer;
let listener: Listener;
beforeAll(async () => {
  found = await findKubectl(SERVED_MINOR);
  if ("missing" in found) await refuseUnlistedSkip(found.missing);
  directory = await mkdtemp(path.join(tmpdir(), "tally-cli-logs-"));
  server = { ...aServer(), logs } as TestServer;
  const user = { name: "tester", groups: ["system:masters"] };
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate: () => user };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  const access = { url: `http://127.0.0.1:${listener.port}`, ca: "", token: "none" };
  await writeFile(path.join(directory, "kubeconfig"), formatKubeconfig(access));
});
afterAll(async () => {
  await listener?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** What was asked for, and a few lines; of one pod the last is not ended. */
const logs: LogSource = {
  open: async ({ metadata }, request) =>
    (async function* () {
      yield Buffer.from(`${metadata.name} ${JSON.stringify(asked(request))}\none\ntw`);
      yield Buffer.from(`o\nthree \u00fc${metadata.name === "single" ? "" : "\n"}`);
    })(),
};

function asked({ sinceMs, ...request }: LogRequest): object {
  return { ...request, ...(sinceMs === undefined ? {} : { since: true }) };
}

function check(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    if ("missing" in found) return context.skip(`no kubectl: ${found.missing}`);
    await body();
  });
}

function kubectl(command: string) {
  if ("missing" in found) throw new Error(found.missing);
  const KUBECONFIG = path.join(directory, "kubeconfig");
  const env = { PATH: process.env["PATH"] ?? "", HOME: directory, KUBECONFIG };
  return follow(found.path, command.split(" "), env, "");
}

async function tally(command: string): Promise<Outcome> {
  const machine = testMachine({
    environment: { KUBECONFIG: path.join(directory, "kubeconfig") },
  });
  const code = await runCommandLine(command.split(" "), machine);
  return { code, stdout: machine.out(), stderr: machine.error() };
}

async function same(command: string, ours = command): Promise<Outcome> {
  const theirs = await kubectl(command).ended;
  const outcome = await tally(ours);
  expect(outcome, command).toEqual(theirs);
  return outcome;
}

/** Of several pods kubectl takes now this one first, now that. */
async function sameLines(command: string): Promise<void> {
  const sorted = ({ stdout, ...rest }: Outcome) => ({ ...rest, lines: stdout.split("\n").sort() });
  const theirs = await kubectl(command).ended;
  expect(sorted(await tally(command)), command).toEqual(sorted(theirs));
}

function given(resource: string, object: object): void {
  const { status, text } = ask(server, "POST", resource.replace("NS", "default"), object);
  expect(status, text).toBe(201);
}

check("the log of one container, and the choice where there are several", async () => {
  given(PODS, pod("single", ON_NODE));
  const container = (name: string) => ({ name, image: "i", command: ["true"] });
  const containers = ["a", "b"].map(container);
  given(PODS, pod("several", { ...ON_NODE, containers, initContainers: [container("prepare")] }));
  const { stdout } = await same("logs pod/single");
  expect(stdout).toContain('"container":"main"');
  await same("logs pod/several");
  await same("logs pod/several -c b");
  await same("logs pod/several prepare");
  await same("logs pod/several -c none");
  await sameLines("logs pod/several --all-containers");
  await sameLines("logs pod/several --all-containers=true --prefix");
  await same("logs pod/none");
  await same("logs -l none=there");
});

check("what part of a log is asked for", async () => {
  given(PODS, pod("part", ON_NODE));
  await same("logs pod/part --tail=3 --timestamps --limit-bytes=7 --previous");
  await same("logs pod/part --since=90s");
  await same("logs pod/part --since-time=2026-01-02T03:04:05Z");
  await same("logs pod/part -f");
});

check("the logs of a Job: one pod, all pods, those of an index", async () => {
  given(JOBS, job("wj", { completions: 2, completionMode: "Indexed" }));
  const { object } = ask(server, "GET", JOBS.replace("NS", "default").concat("/wj"));
  const uid = (object as { metadata: { uid: string } }).metadata.uid;
  for (const index of ["0", "1"]) {
    const labels = {
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-completion-index": index,
      "job-name": "wj",
    };
    given(PODS, pod(`wj-${index}`, ON_NODE, labels));
  }
  const { stderr } = await same("logs job/wj");
  expect(stderr).toBe("Found 2 pods, using pod/wj-0\n");
  await same("logs job/wj", "logs wj");
  await sameLines("logs job/wj --all-pods");
  await sameLines("logs -l job-name=wj");
  await sameLines("logs -l job-name=wj -f --prefix");
  await same("logs -l job-name=wj,batch.kubernetes.io/job-completion-index=1 --tail=-1");
  await same("logs -l job-name=wj -f --max-log-requests=1");
  await same("logs job/none");
});
