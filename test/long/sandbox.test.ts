/** Sandboxes in numbers: whatever was made for them is gone with them, also after a crash. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { Cluster, lastCondition, script, until } from "../agent/cluster.ts";

const PODS = Number(process.env.PODS ?? 500);
const PATIENTLY = { timeout: 1_200_000 };

const volumes = [
  { name: "scratch", emptyDir: {} },
  { name: "memory", emptyDir: { medium: "Memory" } },
  { name: "settings", configMap: { name: "settings" } },
];
const volumeMounts = [
  { name: "scratch", mountPath: "/scratch" },
  { name: "memory", mountPath: "/memory" },
  { name: "settings", mountPath: "/settings" },
];

test("500 pods with volumes and names leave nothing behind", PATIENTLY, async () => {
  const before = leftovers();
  const cluster = await Cluster.start();
  try {
    await createPods(cluster, PODS, "cat /settings/color > /scratch/a; cp /scratch/a /memory/b");
    await finish(cluster);
    await expectRemoved(cluster, before);
  } finally {
    await cluster.dispose();
  }
  await expectAsBefore(before);
});

test("killed half-way, everything is gone after the next start", PATIENTLY, async () => {
  const before = leftovers();
  const directory = mkdtempSync(path.join(tmpdir(), "tally-half-"));
  const cluster = await Cluster.start();
  try {
    await createPods(cluster, PODS, "cat /settings/color > /scratch/a; sleep 0.2");
    await until(async () => ((await cluster.findJob("j")).status.succeeded ?? 0) >= PODS / 2);
    const spawner = cluster.spawner();
    await cluster.tally.kill();
    if (spawner !== undefined) process.kill(spawner, "SIGKILL");
    await cluster.startAgain();
    await finish(cluster);
    await expectRemoved(cluster, before);
  } finally {
    await cluster.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
  await expectAsBefore(before);
});

async function createPods(cluster: Cluster, completions: number, text: string): Promise<void> {
  await cluster.createConfigMap("settings", { color: "red" });
  await cluster.create("/api/v1/namespaces/default/services", {
    kind: "Service",
    metadata: { name: "peers" },
    spec: { clusterIP: "None", selector: { "job-name": "j" } },
  });
  const spec = { completions, parallelism: 16, backoffLimit: 0 };
  const containers = [script(text, { volumeMounts })];
  await cluster.createJob("j", spec, { subdomain: "peers", volumes, containers });
}

async function finish(cluster: Cluster): Promise<void> {
  const job = await cluster.finished("j");
  expect(lastCondition(job)).toBe("Complete");
  expect(job.status.succeeded).toBe(PODS);
}

/** With its pods a Job's volumes, names and addresses go, while the server goes on. */
async function expectRemoved(cluster: Cluster, before: Leftovers): Promise<void> {
  const query = "propagationPolicy=Background";
  await cluster.tally.call("DELETE", `/apis/batch/v1/namespaces/default/jobs/j?${query}`);
  await until(async () => (await cluster.podsOf("j")).length === 0);
  const agent = path.join(cluster.tally.dataDir, "agent");
  await until(() => list(path.join(agent, "names")).length === 0);
  await until(() => list(path.join(cluster.tally.dataDir, "volumes", "pods")).length === 0);
  await until(() => leftovers().mounts.length === before.mounts.length);
}

async function expectAsBefore(before: Leftovers): Promise<void> {
  await until(() => leftovers().namespaces.length <= before.namespaces.length);
  expect(leftovers()).toEqual(before);
}

interface Leftovers {
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
  readonly namespaces: readonly string[];
  readonly groups: readonly string[];
  readonly processes: readonly string[];
}

/** Of this machine, as far as it can be ours. */
function leftovers(): Leftovers {
  return {
    mounts: readFileSync("/proc/self/mountinfo", "utf8").split("\n").filter(isOurs),
    interfaces: list("/sys/class/net").filter((name) => /^(tly|tally-)/.test(name)),
    namespaces: namespacesBesides(),
    groups: ["/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/memory"].flatMap((folder) =>
      list(folder).filter((name) => name.startsWith("tally-")),
    ),
    processes: processesBesides(),
  };
}

function isOurs(line: string): boolean {
  return line.includes("tally");
}

/** Of networks, named by the processes that are in them. */
function namespacesBesides(): readonly string[] {
  const text = execFileSync("lsns", ["--type", "net", "--noheadings", "--output", "NS"], UTF8);
  return text.split("\n").filter(Boolean);
}

function processesBesides(): readonly string[] {
  const text = execFileSync("ps", ["-eo", "args"], UTF8);
  return text.split("\n").filter((line) => /unshare --mount|spawner\.js|tally-/.test(line));
}

const UTF8 = { encoding: "utf8" } as const;

function list(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}
