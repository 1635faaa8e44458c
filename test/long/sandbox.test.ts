/** Hundreds of sandboxes: everything created for them is removed with them, even after a crash. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bridgeName } from "../../src/agent/spawner/sandbox/host-network.ts";
import { Cluster, lastCondition, script, until } from "../agent/cluster.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

const PODS = 500;
const PATIENTLY = { timeout: 1_200_000 };
const JOB = "/apis/batch/v1/namespaces/default/jobs/j?propagationPolicy=Background";

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

test.skipIf(withoutSandboxes)(
  "500 pods with volumes and names leave nothing behind",
  PATIENTLY,
  async () => {
    await leaveNothing("cat /settings/color > /scratch/a; cp /scratch/a /memory/b", async () => {});
  },
);

test.skipIf(withoutSandboxes)(
  "a server killed half-way removes everything after its next start",
  PATIENTLY,
  async () => {
    await leaveNothing("cat /settings/color > /scratch/a; sleep 0.2", async (cluster) => {
      await until(async () => ((await cluster.findJob("j")).status.succeeded ?? 0) >= PODS / 2);
      const spawner = cluster.spawner();
      await cluster.tally.kill();
      if (spawner !== undefined) process.kill(spawner, "SIGKILL");
      await cluster.startAgain();
    });
  },
);

async function leaveNothing(text: string, disturb: (cluster: Cluster) => Promise<void>) {
  const cluster = await Cluster.start();
  const { dataDir } = cluster.tally;
  const agent = path.join(dataDir, "agent");
  try {
    await createPods(cluster, text);
    await until(() => networksOf(ourProcesses(dataDir)).length > 0);
    const networks = networksOf(ourProcesses(dataDir));
    await disturb(cluster);
    const job = await cluster.finished("j");
    expect(lastCondition(job)).toBe("Complete");
    expect(job.status.succeeded).toBe(PODS);
    networks.push(...networksOf(ourProcesses(dataDir)));
    await cluster.tally.call("DELETE", JOB);
    await until(async () => (await cluster.podsOf("j")).length === 0);
    await until(() => list(path.join(agent, "names")).length === 0);
    await until(() => list(path.join(dataDir, "volumes", "pods")).length === 0);
    await until(() => mountsOf(dataDir).length === 0);
    expect(await cluster.tally.stop()).toBe(0);
    await until(() => ourProcesses(dataDir).length === 0);
    expect(networksOf(allProcesses()).filter((each) => networks.includes(each))).toEqual([]);
    expect(mountsOf(dataDir)).toEqual([]);
    expect(list("/sys/class/net")).not.toContain(bridgeName(agent));
    expect(list(path.join(agent, "sandboxes"))).toEqual(["shared"]);
  } finally {
    await cluster.dispose();
  }
}

async function createPods(cluster: Cluster, text: string): Promise<void> {
  await cluster.createConfigMap("settings", { color: "red" });
  await cluster.create("/api/v1/namespaces/default/services", {
    kind: "Service",
    metadata: { name: "peers" },
    spec: { clusterIP: "None", selector: { "job-name": "j" } },
  });
  const spec = { completions: PODS, parallelism: 16, backoffLimit: 0 };
  const containers = [script(text, { volumeMounts })];
  await cluster.createJob("j", spec, { subdomain: "peers", volumes, containers });
}

function allProcesses(): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/** Slots run in directories below it; other processes have its path in their arguments. */
function ourProcesses(dataDir: string): readonly string[] {
  return allProcesses().filter(
    (pid) =>
      linkOf(`/proc/${pid}/cwd`).startsWith(dataDir) ||
      textOf(`/proc/${pid}/cmdline`).includes(dataDir),
  );
}

/** Network namespaces other than our own. */
function networksOf(pids: readonly string[]): string[] {
  const own = readlinkSync("/proc/self/ns/net");
  const networks = new Set(pids.map((pid) => linkOf(`/proc/${pid}/ns/net`)));
  return [...networks].filter((each) => each !== "" && each !== own);
}

function mountsOf(dataDir: string): readonly string[] {
  const mounts = textOf("/proc/self/mountinfo").split("\n");
  return mounts.filter((line) => line.includes(dataDir));
}

function list(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
