/**
 * One Indexed Job of /bin/true with real processes, a log file for each, and a syncing journal,
 * compared with tools that only start processes, at the same parallelism in the same run.
 */
import { pods } from "../src/api/resources.ts";
import type { BenchOptions } from "./options.ts";
import { type Row, table } from "./report.ts";
import { NAMESPACE, runJobs } from "./run-jobs.ts";
import { type Costs, readCosts, type SpawnCluster } from "./spawn-cluster.ts";
import { findRivals, type Measured, measureRival, PROGRAM } from "./spawn-rivals.ts";

const PARALLELISMS = [8, 64];

export async function benchSpawnJobs(
  cluster: SpawnCluster,
  { isQuick }: BenchOptions,
): Promise<void> {
  const completions = isQuick ? 200 : 5_000;
  const amount = `${completions.toLocaleString("en")} times ${PROGRAM}`;
  // No code is compiled yet, as for a user who starts a server for one Job.
  const first = await runPods(cluster, { name: "first", completions, parallelism: 64 });
  table(`spawn: ${amount}, 64 at a time, right after the start`, [oursRow("pods", first)]);
  for (const parallelism of PARALLELISMS) {
    const rivals = [];
    for (const rival of findRivals(parallelism)) {
      rivals.push({ name: rival.name, ...(await measureRival(rival, completions)) });
    }
    const ours = await runPods(cluster, { name: `of-${parallelism}`, completions, parallelism });
    table(`spawn: ${amount}, ${parallelism} at a time`, [
      oursRow("pods", ours),
      ...rivals.map((rival) => rivalRow(rival, ours)),
    ]);
  }
}

interface Run {
  readonly name: string;
  readonly completions: number;
  readonly parallelism: number;
}

/** In milliseconds of CPU time per pod. */
interface MeasuredPods extends Measured, Costs {}

async function runPods(cluster: SpawnCluster, run: Run): Promise<MeasuredPods> {
  const { completions } = run;
  const before = await readCosts(cluster);
  const seconds = await runJobs(cluster.client, [{ ...run, command: [PROGRAM] }]);
  const after = await readCosts(cluster);
  await check(cluster, run);
  const costOf = (part: keyof Costs) => (after[part] - before[part]) / completions;
  const [serverMs, spawnerMs] = [costOf("serverMs"), costOf("spawnerMs")];
  const processesMs = costOf("processesMs");
  const cpuMsPerRun = serverMs + spawnerMs + processesMs;
  return { perSecond: completions / seconds, cpuMsPerRun, serverMs, spawnerMs, processesMs };
}

/** Checks that every counted pod can be read. */
async function check({ client }: SpawnCluster, { name, completions }: Run): Promise<void> {
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const { items } = await client.list(pods, { namespace: NAMESPACE, labelSelector });
  const succeeded = items.filter(({ status }) => status.phase === "Succeeded").length;
  if (succeeded !== completions) throw new Error(`${succeeded} of ${completions} pods succeeded`);
}

function rate({ perSecond }: Measured): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

function oursRow(what: string, pods: MeasuredPods): Row {
  const parts = [
    `${pods.cpuMsPerRun.toFixed(2)} ms CPU each: server ${pods.serverMs.toFixed(2)}`,
    `spawner ${pods.spawnerMs.toFixed(2)}`,
    `processes ${pods.processesMs.toFixed(2)}`,
  ];
  return { what, value: rate(pods), beside: parts.join(", ") };
}

function rivalRow(rival: Measured & { readonly name: string }, ours: Measured): Row {
  const ratio = (ours.perSecond / rival.perSecond).toFixed(2);
  const cost = `${rival.cpuMsPerRun.toFixed(2)} ms CPU each`;
  return { what: rival.name, value: rate(rival), beside: `${cost}; pods: ${ratio} times the rate` };
}
