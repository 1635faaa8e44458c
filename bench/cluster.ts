/**
 * Our Job controller and that of Kubernetes on the same real API server: the same Jobs of instant
 * pods, alternating, with the same rate limit and then without one. Ours runs next to a
 * kube-controller-manager, as it does in a cluster; that of Kubernetes runs alone.
 */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type ControlPlane, startControlPlane } from "../test/cluster/control-plane.ts";
import { type Binaries, findBinaries } from "../test/cluster/find-binaries.ts";
import { startControllerManager } from "../test/cluster/kube-components.ts";
import { MANAGED_BY, startTallyController } from "../test/cluster/tally-controller.ts";
import { parseMetrics, type Sample } from "../test/support/metrics-text.ts";
import { projectFile } from "../test/support/project-file.ts";
import type { BenchOptions } from "./options.ts";
import { cpuMs, type WithProcess } from "./process-figures.ts";
import { type Row, table } from "./report.ts";

interface Load {
  readonly jobs: number;
  readonly pods: number;
  /** How often each of the two is measured, alternating, because the load of the machine varies. */
  readonly rounds: number;
}

const LOADS: readonly Load[] = [
  { jobs: 1, pods: 1_000, rounds: 3 },
  { jobs: 1, pods: 3_000, rounds: 3 },
  { jobs: 100, pods: 12, rounds: 3 },
  { jobs: 1, pods: 10, rounds: 5 },
];
const QUICK_LOADS: readonly Load[] = [
  { jobs: 1, pods: 100, rounds: 1 },
  { jobs: 1, pods: 10, rounds: 2 },
];

interface Limit {
  readonly name: string;
  readonly flags: readonly string[];
  readonly ourFlags: readonly string[];
}

const EQUAL = ["--kube-api-qps=100", "--kube-api-burst=100"];
const LIMITS: readonly Limit[] = [
  { name: "100 requests a second", flags: EQUAL, ourFlags: EQUAL },
  {
    name: "no limit",
    flags: ["--kube-api-qps=100000", "--kube-api-burst=100000"],
    ourFlags: ["--kube-api-qps=0"],
  },
];

export async function benchCluster({ isQuick }: BenchOptions): Promise<void> {
  const binaries = await findBinaries();
  if ("missing" in binaries) {
    process.stdout.write(`\ncluster: left out, no control plane: ${binaries.missing}\n`);
    return;
  }
  const cluster = await startControlPlane(binaries);
  try {
    const loads = isQuick ? QUICK_LOADS : LOADS;
    for (const limit of LIMITS) {
      table(`cluster: Jobs of instant pods, ${limit.name}`, [
        ...(await compare(binaries, cluster, limit, loads)),
      ]);
    }
  } finally {
    await cluster.dispose();
  }
}

async function compare(
  binaries: Binaries,
  cluster: ControlPlane,
  limit: Limit,
  loads: readonly Load[],
): Promise<Row[]> {
  const manager = await startControllerManager(binaries, cluster.kubeconfig, limit.flags);
  const parts = { server: cluster.apiServer, etcd: cluster.etcd, theirs: manager };
  try {
    await once(cluster, WARM_UP, parts);
    const rows: Row[] = [];
    for (const load of loads) {
      const pairs: Pair[] = [];
      for (let round = 0; round < load.rounds; round++) {
        const ours = await measureOurs(cluster, limit, load, parts);
        pairs.push({ ours, theirs: await once(cluster, load, parts) });
      }
      rows.push(...rowsOf(load, pairs));
    }
    return rows;
  } finally {
    await manager.stop("SIGKILL");
  }
}

async function measureOurs(
  cluster: ControlPlane,
  limit: Limit,
  load: Load,
  parts: Parts,
): Promise<Figures> {
  const tally = await startTallyController(cluster.kubeconfig, limit.ourFlags);
  try {
    await once(cluster, WARM_UP, parts, MANAGED_BY);
    return await once(cluster, load, { ...parts, ours: tally }, MANAGED_BY);
  } finally {
    await tally.stop();
  }
}

const WARM_UP: Load = { jobs: 1, pods: 20, rounds: 1 };

interface Parts {
  readonly [name: string]: WithProcess;
}

interface Figures {
  readonly seconds: number;
  readonly callsPerPod: number;
  readonly eventsPerPod: number;
  /** CPU time of each part, in milliseconds per pod. */
  readonly costs: { readonly [part: string]: number };
}

interface Pair {
  readonly ours: Figures;
  readonly theirs: Figures;
}

/** The figures of the pair with the median ratio. */
function rowsOf({ jobs, pods }: Load, pairs: readonly Pair[]): Row[] {
  const sorted = pairs.toSorted((one, other) => ratioOf(one) - ratioOf(other));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error("nothing was measured");
  const { ours, theirs } = middle;
  const perSecond = ({ seconds }: Figures) => ((jobs * pods) / seconds).toFixed(0);
  const costs = (figures: Figures) =>
    Object.entries(figures.costs)
      .map(([part, ms]) => `${part} ${ms.toFixed(1)}`)
      .join(", ");
  const calls = ({ callsPerPod, eventsPerPod }: Figures) =>
    `${callsPerPod.toFixed(2)} calls + ${eventsPerPod.toFixed(2)} events`;
  const row = (what: string, value: string, figures: Figures): Row => ({
    what,
    value,
    beside:
      `${perSecond(figures)} pods/s, ${figures.seconds.toFixed(2)} s, ` +
      `${calls(figures)} a pod; ` +
      `ms CPU a pod: ${costs(figures)}`,
  });
  const ratios = sorted.map((pair) => ratioOf(pair).toFixed(2));
  const value = `${ratioOf(middle).toFixed(2)} times as fast`;
  const spread = ratios.length > 1 ? ` (of ${ratios.join(", ")})` : "";
  return [
    row(`${jobs} x ${pods.toLocaleString("en")} pods`, `${value}${spread}`, ours),
    row("", "kube-controller-manager", theirs),
  ];
}

function ratioOf({ ours, theirs }: Pair): number {
  return theirs.seconds / ours.seconds;
}

async function once(
  cluster: ControlPlane,
  load: Load,
  parts: Parts,
  managedBy?: string,
): Promise<Figures> {
  const where = ["--server", cluster.url, "--token", cluster.token];
  const sizes = ["--jobs", String(load.jobs), "--pods", String(load.pods)];
  const who = managedBy === undefined ? [] : ["--managed-by", managedBy];
  const tool = projectFile("test/conformance/tools/bench.mjs");
  const before = await countCalls(cluster);
  const costsBefore = await costsOf(parts);
  const { stdout } = await promisify(execFile)(process.execPath, [
    tool,
    ...where,
    ...sizes,
    ...who,
  ]);
  const costsAfter = await costsOf(parts);
  const after = await countCalls(cluster);
  const { seconds } = JSON.parse(stdout) as { seconds: number };
  await cleanedUp(cluster);
  const pods = load.jobs * load.pods;
  const spent = Object.entries(costsAfter).map(
    ([part, ms]) => [part, (ms - (costsBefore[part] ?? 0)) / pods] as const,
  );
  return {
    seconds,
    callsPerPod: (after.calls - before.calls) / pods,
    eventsPerPod: (after.events - before.events) / pods,
    costs: Object.fromEntries(spent),
  };
}

async function costsOf(parts: Parts): Promise<{ readonly [part: string]: number }> {
  const all = Object.entries(parts).map(
    async ([part, component]) => [part, await cpuMs(component)] as const,
  );
  return Object.fromEntries(await Promise.all(all));
}

interface Calls {
  readonly calls: number;
  readonly events: number;
}

/**
 * Requests for pods and Jobs, without those of the tool, which creates the Jobs and plays the
 * nodes.
 */
async function countCalls(cluster: ControlPlane): Promise<Calls> {
  const { text } = await cluster.call("GET", "/metrics");
  const requests = parseMetrics(text).filter(({ name }) => name === "apiserver_request_total");
  const count = (isWanted: (labels: Sample["labels"]) => boolean) =>
    requests.filter(({ labels }) => isWanted(labels)).reduce((sum, { value }) => sum + value, 0);
  return {
    calls: count(isOfController),
    events: count(({ resource, verb }) => resource === "events" && isWrite(verb)),
  };
}

function isOfController({ resource, subresource, verb }: Sample["labels"]): boolean {
  if (resource === "pods") return subresource === "" && (isWrite(verb) || verb === "GET");
  if (resource !== "jobs") return false;
  return subresource === "status" || verb === "PUT" || verb === "PATCH" || verb === "GET";
}

function isWrite(verb: string | undefined): boolean {
  return verb === "POST" || verb === "PUT" || verb === "PATCH" || verb === "DELETE";
}

/**
 * The tool leaves its namespace to be deleted. Without a pause, that would affect the next load.
 */
async function cleanedUp(cluster: ControlPlane): Promise<void> {
  for (;;) {
    const { json } = await cluster.call("GET", "/api/v1/namespaces");
    const names = json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    if (!names.some((name: string) => name.startsWith("bench-"))) return;
    await sleep(200);
  }
}
