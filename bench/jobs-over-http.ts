/** Jobs of instant pods over TLS; another process plays the nodes. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { remoteClient } from "../src/client/remote.ts";
import { parseMetrics, quantileLimit, sumOf } from "../test/support/metrics-text.ts";
import { startTally, type Tally } from "../test/support/tally.ts";
import { startInstantNode } from "./instant-node.ts";
import type { BenchOptions } from "./options.ts";
import { cpuMs } from "./process-figures.ts";
import { type Row, table } from "./report.ts";
import { MIXED_LOAD, runJobs } from "./run-jobs.ts";

/** Relative to this file, compiled or not. */
const TOOL = fileURLToPath(new URL("../test/conformance/tools/bench.mjs", import.meta.url));

interface Load {
  readonly jobs: number;
  readonly pods: number;
  /** Pods per second of the real cluster. */
  readonly real?: number;
}

const LOADS: readonly Load[] = [
  { jobs: 1, pods: 1_000, real: 124 },
  { jobs: 1, pods: 3_000, real: 147 },
  { jobs: 1, pods: 10_000 },
  { jobs: 100, pods: 12, real: 131 },
];
const QUICK_LOADS: readonly Load[] = [
  { jobs: 1, pods: 200, real: 124 },
  { jobs: 10, pods: 12, real: 131 },
];
const WARM_UP: Load = { jobs: 1, pods: 1_000 };

const BAR = 1_400;

export async function benchJobsOverHttp({ isQuick }: BenchOptions): Promise<void> {
  const tally = await startTally({ args: ["--no-agent"] });
  try {
    await measure(tally, isQuick ? { jobs: 1, pods: 100 } : WARM_UP);
    const rows: Row[] = [];
    for (const load of isQuick ? QUICK_LOADS : LOADS) rows.push(await measure(tally, load));
    table("jobs over HTTP: instant pods, journal syncing", rows);
    table("jobs over HTTP: the load of KEP-2214", [await mixedLoad(tally)]);
    table("jobs over HTTP: all syncs of the above beside the objectives of KEP-2214", [
      ...objectives((await tally.call("GET", "/metrics")).text),
    ]);
  } finally {
    await tally.dispose();
  }
}

async function measure(tally: Tally, { jobs, pods, real }: Load): Promise<Row> {
  const where = ["--server", tally.url, "--token", tally.token];
  const sizes = ["--jobs", String(jobs), "--pods", String(pods)];
  const before = await cpuMs(tally);
  const { stdout } = await promisify(execFile)(process.execPath, [TOOL, ...where, ...sizes]);
  const perPodMs = ((await cpuMs(tally)) - before) / (jobs * pods);
  const { podsPerSecond } = JSON.parse(stdout) as { podsPerSecond: number };
  await cleanedUp(tally);
  const ratio =
    real === undefined ? "" : `real: ${real}, ratio ${(podsPerSecond / real).toFixed(1)}; `;
  return {
    what: `${jobs} x ${pods.toLocaleString("en")} pods`,
    value: `${podsPerSecond.toLocaleString("en")} pods/s, ${perPodMs.toFixed(2)} ms CPU/pod`,
    beside: `${ratio}bar ${BAR.toLocaleString("en")}`,
  };
}

/**
 * The tool leaves its namespace to be deleted. Without a pause, that would affect the next load.
 */
async function cleanedUp(tally: Tally): Promise<void> {
  for (;;) {
    const { json } = await tally.call("GET", "/api/v1/namespaces");
    const names = json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    if (!names.some((name: string) => name.startsWith("bench-"))) return;
    await sleep(100);
  }
}

const REAL_SECONDS = 33.4;

async function mixedLoad(tally: Tally): Promise<Row> {
  const { url: server, token, ca } = tally;
  const client = remoteClient({ server, token, ca });
  try {
    const node = await startInstantNode(client, { phases: ["Running", "Succeeded"] });
    const seconds = await runJobs(client, MIXED_LOAD);
    node.stop();
    const ratio = (REAL_SECONDS / seconds).toFixed(1);
    return {
      what: "101 Indexed Jobs, 1,200 pods",
      value: `${seconds.toFixed(2)} s`,
      beside: `KEP-2214: ${REAL_SECONDS} s (20 nodes, 100 QPS), ratio ${ratio}`,
    };
  } finally {
    client.close();
  }
}

function objectives(text: string): readonly Row[] {
  const samples = parseMetrics(text);
  const all = sumOf(samples, "job_sync_total");
  const failed = sumOf(samples, "job_sync_total", { result: "error" });
  const limit = quantileLimit(samples, "job_sync_duration_seconds", 0.99);
  return [
    {
      what: `job_sync_total with result "error", of ${all.toLocaleString("en")}`,
      value: `${((failed / all) * 100).toFixed(3)} %`,
      beside: "objective: at most 1 %",
    },
    {
      what: "99th percentile of job_sync_duration_seconds",
      value: `at most ${limit} s`,
      beside: "objective: at most 15 s",
    },
  ];
}
