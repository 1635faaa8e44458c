/** Many pods with volumes of every kind, and a server that is killed half-way: nothing is left. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";

const PODS = 300;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ args: ["--job-backoff-base=10ms"] });
});
afterAll(() => cluster.dispose());

const fieldRef = { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" };
const VOLUMES = [
  { name: "settings", configMap: { name: "settings" } },
  { name: "self", downwardAPI: { items: [{ path: "index", fieldRef }] } },
  { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
  { name: "disk", emptyDir: {} },
];

function mounts(): number {
  const { dataDir } = cluster.tally;
  const table = readFileSync("/proc/self/mounts", "utf8").split("\n");
  return table.filter((line) => line.includes(path.join(dataDir, "volumes"))).length;
}

const left = () => readdirSync(path.join(cluster.tally.dataDir, "volumes/pods"));

async function succeeded(): Promise<number> {
  return (await cluster.findJob("many")).status.succeeded ?? 0;
}

test.runIf(process.getuid?.() === 0)(
  "300 pods with volumes leave nothing behind",
  async () => {
    await cluster.createConfigMap("settings", { colour: "blue" });
    const volumeMounts = VOLUMES.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const text = "cat /settings/colour /self/index && echo x > /memory/x && echo x > /disk/x";
    await cluster.createJob(
      "many",
      { completions: PODS, parallelism: 16, backoffLimitPerIndex: 5 },
      { containers: [script(text, { volumeMounts })], volumes: VOLUMES },
    );
    await until(async () => (await succeeded()) > PODS / 3);
    await cluster.tally.kill();
    await cluster.startAgain();
    await cluster.finished("many");
    expect(await succeeded()).toBe(PODS);
    await until(() => left().length === 0 && mounts() === 0);
  },
  300_000,
);
