/**
 * All forms of "kubectl logs". The server and the logs are real, but there are no processes: the
 * tests write the logs that processes would write, and report the status as an agent would.
 */
import { appendFileSync, utimesSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logSource } from "../../src/agent/logs/log-source.ts";
import { type LogStore, openLogs } from "../../src/agent/logs/log-store.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import type { ApiServer } from "../../src/server/http/request.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { type FoundKubectl, findKubectl } from "./find-kubectl.ts";
import { PODS, pod } from "./manifests.ts";
import { follow, type Outcome, type Running, refuseUnlistedSkip } from "./prompt.ts";

const IMAGE = "busybox:1.36";
const INDEX = "batch.kubernetes.io/job-completion-index";

let directory: string;
let logs: LogStore;
let server: ApiServer;
let listener: Listener;
let found: FoundKubectl = { missing: "not looked for" };
beforeAll(async () => {
  found = await findKubectl();
  if ("missing" in found) await refuseUnlistedSkip(found.missing);
  directory = await mkdtemp(path.join(tmpdir(), "tally-logs-"));
  const clock = systemClock;
  logs = openLogs({ directory: path.join(directory, "logs"), clock, log: silentLog });
  server = { ...aServer(), logs: logSource(logs, clock) };
  const user = { name: "tester", groups: ["system:masters"] };
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate: () => user };
  listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
});
afterAll(async () => {
  logs.close();
  await listener.close();
  await rm(directory, { recursive: true, force: true });
});

function check(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    if ("missing" in found) return context.skip(`no kubectl: ${found.missing}`);
    await body();
  });
}

function start(command: string): Running {
  if ("missing" in found) throw new Error(found.missing);
  const url = `http://127.0.0.1:${listener.port}`;
  const env = { PATH: process.env["PATH"] ?? "", HOME: directory };
  return follow(found.path, ["--server", url, ...command.split(" ")], env, "");
}

async function prints(command: string): Promise<string> {
  const outcome: Outcome = await start(command).ended;
  expect(outcome, command).toMatchObject({ code: 0, stderr: "" });
  return outcome.stdout;
}

async function refuses(command: string): Promise<string> {
  const outcome: Outcome = await start(command).ended;
  expect(outcome, command).toMatchObject({ code: 1, stdout: "" });
  return outcome.stderr;
}

interface Container {
  /** What each of its attempts wrote; if `isRunning`, the last attempt still runs. */
  readonly wrote: readonly string[];
  readonly isRunning?: boolean;
}

interface Containers {
  readonly [name: string]: Container;
}

/** Creates a pod on a node, with the given logs and container statuses. */
function aPod(name: string, containers: Containers, labels: object = {}, inits: Containers = {}) {
  const listed = (of: Containers) =>
    Object.keys(of).map((each) => ({ name: each, image: IMAGE, command: ["true"] }));
  const spec = { nodeName: "n", containers: listed(containers), initContainers: listed(inits) };
  const where = PODS.replace("NS", "default");
  const { object } = ask(server, "POST", where, pod(name, spec, labels));
  const created = object as Pod;
  const status = {
    phase: "Running",
    containerStatuses: statusesOf(created, containers),
    initContainerStatuses: statusesOf(created, inits),
  };
  const patched = ask(server, "PATCH", `${where}/${name}/status`, { status });
  expect(patched.status, patched.text).toBe(200);
  return created;
}

function statusesOf(created: Pod, containers: Containers) {
  return Object.entries(containers).map(([name, { wrote, isRunning = false }]) => {
    const podUid = created.metadata.uid ?? "";
    const attempts = wrote.map((text, attempt) => {
      appendFileSync(logs.begin(created, { container: name, attempt }), text);
      if (!isRunning || attempt < wrote.length - 1) {
        logs.end({ podUid, container: name, attempt });
      }
      return `process://${podUid}/${name}/${attempt}`;
    });
    const ended = (containerID: string) => ({ terminated: { exitCode: 1, containerID } });
    const [last = "", before] = attempts.toReversed();
    return {
      name,
      image: IMAGE,
      imageID: "",
      ready: isRunning,
      restartCount: attempts.length - 1,
      containerID: last,
      state: isRunning ? { running: { startedAt: "2026-01-01T00:00:00Z" } } : ended(last),
      lastState: before === undefined ? {} : ended(before),
    };
  });
}

function fileOf(created: Pod, container = "main"): string {
  return logs.fileOf(created, { container, attempt: 0 });
}

check("a log is printed, in full or in part", async () => {
  aPod("whole", { main: { wrote: ["one\ntwo\nthree\n"] } });
  expect(await prints("logs whole")).toBe("one\ntwo\nthree\n");
  expect(await prints("logs pod/whole --tail=2")).toBe("two\nthree\n");
  expect(await prints("logs whole --tail=0")).toBe("");
  expect(await prints("logs whole --limit-bytes=5")).toBe("one\nt");
  expect(await prints("logs whole --ignore-errors --pod-running-timeout=1s")).toContain("three");
});

check("--previous prints the log of the previous run", async () => {
  aPod("again", { main: { wrote: ["first\n", "second\n"], isRunning: true } });
  expect(await prints("logs again")).toBe("second\n");
  expect(await prints("logs again --previous")).toBe("first\n");
  expect(await prints("logs again -p --tail=1")).toBe("first\n");
});

check("lines have timestamps, and --since-time selects by them", async () => {
  const created = aPod("timed", { main: { wrote: ["old\n"] } });
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(fileOf(created), hourAgo, hourAgo);
  const stamped = await prints("logs timed --timestamps");
  expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z old\n$/);
  expect(Math.abs(Date.parse(stamped.split(" ")[0] ?? "") - hourAgo.getTime())).toBeLessThan(2);
  expect(await prints("logs timed --since=30m")).toBe("");
  expect(await prints("logs timed --since=90m")).toBe("old\n");
  const since = (minutes: number) =>
    new Date(hourAgo.getTime() + minutes * 60_000).toISOString().replace(/\.\d+/, "");
  expect(await prints(`logs timed --since-time=${since(-1)}`)).toBe("old\n");
  expect(await prints(`logs timed --since-time=${since(1)}`)).toBe("");
});

check("a log is followed until it ends", async () => {
  const created = aPod("follow", { main: { wrote: ["one\n"], isRunning: true } });
  const kubectl = start("logs -f follow");
  await kubectl.until(/one\n/);
  appendFileSync(fileOf(created), "two\n");
  await kubectl.until(/two\n/);
  appendFileSync(fileOf(created), "three\n");
  logs.end({ podUid: created.metadata.uid ?? "", container: "main", attempt: 0 });
  expect(await kubectl.ended).toEqual({ code: 0, stdout: "one\ntwo\nthree\n", stderr: "" });
});

check("a follower that disconnects leaves nothing behind", async () => {
  const created = aPod("left", { main: { wrote: ["one\n"], isRunning: true } });
  const kubectl = start("logs -f left");
  await kubectl.until(/one\n/);
  kubectl.process.kill("SIGINT");
  await kubectl.ended;
  appendFileSync(fileOf(created), "two\n");
  expect(await prints("logs left")).toBe("one\ntwo\n");
});

check("the log of an index is found by its label (KEP-4017)", async () => {
  for (const index of ["0", "1", "2"]) {
    const labels = { [INDEX]: index, "batch.kubernetes.io/job-name": "sample" };
    aPod(`sample-${index}`, { main: { wrote: [`I am ${index}\n`] } }, labels);
  }
  expect(await prints(`logs -l ${INDEX}=2`)).toBe("I am 2\n");
  const all = await prints("logs -l batch.kubernetes.io/job-name=sample --prefix --tail=-1");
  expect(all.split("\n").sort()).toEqual([
    "",
    "[pod/sample-0/main] I am 0",
    "[pod/sample-1/main] I am 1",
    "[pod/sample-2/main] I am 2",
  ]);
});

check("the logs of a hundred pods are followed concurrently", async () => {
  // One kubectl requests at most five logs per second.
  const groups = ["a", "b", "c", "d", "e"].map((group) => ({
    kubectl: start(`logs -f -l many=${group} --max-log-requests=20`),
    pods: Array.from({ length: 20 }, (_, each) => aRunningPod(`many-${group}-${each}`, group)),
  }));
  await Promise.all(groups.map(({ kubectl }) => kubectl.until(/(many-.-\d+ begins\n){20}/)));
  for (const created of groups.flatMap(({ pods }) => pods)) {
    appendFileSync(fileOf(created), `${created.metadata.name} ends\n`);
    logs.end({ podUid: created.metadata.uid ?? "", container: "main", attempt: 0 });
  }
  for (const { kubectl } of groups) {
    const { code, stdout } = await kubectl.ended;
    expect([code, stdout.match(/ends\n/g)?.length]).toEqual([0, 20]);
  }
});

function aRunningPod(name: string, group: string): Pod {
  return aPod(name, { main: { wrote: [`${name} begins\n`], isRunning: true } }, { many: group });
}

check("each container has its own log, and init containers too", async () => {
  const mains = { main: { wrote: ["of main\n"] }, side: { wrote: ["of side\n"] } };
  aPod("several", mains, {}, { setup: { wrote: ["of setup\n"] } });
  expect(await prints("logs several -c side")).toBe("of side\n");
  expect(await prints("logs several -c setup")).toBe("of setup\n");
  const all = await prints("logs several --all-containers");
  expect(all.split("\n").sort()).toEqual(["", "of main", "of setup", "of side"]);
  const prefixed = await prints("logs several --all-containers --prefix");
  expect(prefixed).toContain("[pod/several/setup] of setup\n");
});

check("a missing log is reported with Kubernetes' message", async () => {
  aPod("bad", { main: { wrote: ["x\n"] } });
  const where = PODS.replace("NS", "default");
  ask(server, "POST", where, pod("waits", { nodeName: "n" }));
  const waiting = { name: "main", image: IMAGE, imageID: "", ready: false, restartCount: 0 };
  const state = { waiting: { reason: "ContainerCreating" } };
  const status = { containerStatuses: [{ ...waiting, state, lastState: {} }] };
  ask(server, "PATCH", `${where}/waits/status`, { status });
  expect(await refuses("logs waits")).toBe(
    'Error from server (BadRequest): container "main" in pod "waits" is waiting to start: ' +
      "ContainerCreating\n",
  );
  expect(await refuses("logs bad --previous")).toBe(
    'Error from server (BadRequest): previous terminated container "main" in pod "bad" not found\n',
  );
  // kubectl's own message, which differs between versions.
  expect(await refuses("logs bad -c none")).toMatch(/none.*bad/);
  expect(await refuses("logs none")).toContain('(NotFound): pods "none" not found');
});

check("a pod without a node has an empty log", async () => {
  ask(server, "POST", PODS.replace("NS", "default"), pod("unbound"));
  expect(await prints("logs unbound")).toBe("");
});
