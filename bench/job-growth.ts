/** What a Job costs as it grows: time per pod and per status update, memory per index, the end. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Client } from "../src/api/client.ts";
import { parseIndexes } from "../src/api/index-set.ts";
import { jobs, pods } from "../src/api/resources.ts";
import { startInstantNode } from "./instant-node.ts";
import { withJobEngine } from "./job-engine.ts";
import type { BenchOptions } from "./options.ts";
import { type Row, table } from "./report.ts";
import { anIndexedJob, hasCondition, NAMESPACE, runJobs, untilStatus } from "./run-jobs.ts";

const PARALLELISM = 100;
const MILLION = 1_000_000;

export async function benchJobGrowth({ isQuick }: BenchOptions): Promise<void> {
  const scale = isQuick ? 100 : 1;
  table(`jobs as they grow: in process, parallelism ${PARALLELISM}`, [
    ...(await cpuPerPod(scale)),
    await statusUpdates(scale),
    ...(await idleIndexes(scale)),
    ...(await million(scale)),
  ]);
}

async function cpuPerPod(scale: number): Promise<readonly Row[]> {
  await cpuOf(3_000 / scale);
  const rows: Row[] = [];
  let first = 0;
  for (const [completions, repeats] of [
    [1_000, 5],
    [10_000, 2],
    [100_000, 1],
  ] as const) {
    let sum = 0;
    for (let time = 0; time < repeats; time++) sum += await cpuOf(completions / scale);
    const mean = sum / repeats;
    first ||= mean;
    rows.push({
      what: `CPU per pod at ${(completions / scale).toLocaleString("en")} completions`,
      value: `${mean.toFixed(3)} ms`,
      beside: `ratio ${(mean / first).toFixed(2)}, bar 1.2`,
    });
  }
  return rows;
}

function cpuOf(completions: number): Promise<number> {
  return withJobEngine(async ({ client, startController, synced }) => {
    await startController();
    const node = await startInstantNode(client);
    const before = process.cpuUsage();
    await runJobs(client, [{ name: "grown", completions, parallelism: PARALLELISM }]);
    await synced();
    const perPodMs = usedMs(before) / completions;
    node.stop();
    return perPodMs;
  });
}

function usedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function statusUpdates(scale: number): Promise<Row> {
  const [few, many] = [1_000, 100_000 / scale];
  await costOfUpdate(few);
  const atFew = await costOfUpdate(few);
  const atMany = await costOfUpdate(many);
  return {
    what: `status update with 1,000 / ${many.toLocaleString("en")} scattered indexes`,
    value: `${atFew.toFixed(2)} / ${atMany.toFixed(2)} ms CPU`,
    beside: `ratio ${(atMany / atFew).toFixed(1)}, bar 10`,
  };
}

const UPDATES = 100;

/** Every second index is complete. Pods end one at a time, so that each causes its own update. */
function costOfUpdate(completed: number): Promise<number> {
  return withJobEngine(async ({ client, startController, synced }) => {
    const text = Array.from({ length: completed }, (_, index) => index * 2).join(",");
    const size = { name: "scattered", completions: completed * 2, parallelism: 1 };
    await createAdvanced(client, size, { completed, text });
    const node = await startInstantNode(client, { limit: UPDATES });
    let updates = 0;
    const done = untilStatus(client, "scattered", ({ succeeded = 0 }) => {
      updates++;
      return succeeded === completed + UPDATES;
    });
    const before = process.cpuUsage();
    await startController();
    await done;
    await synced();
    const costMs = usedMs(before) / updates;
    node.stop();
    return costMs;
  });
}

/** Creates a Job as an earlier controller left it. */
async function createAdvanced(
  client: Client,
  size: Parameters<typeof anIndexedJob>[0],
  { completed, text }: { readonly completed: number; readonly text: string },
): Promise<void> {
  const job = await client.create(jobs, anIndexedJob(size));
  const startTime = job.metadata.creationTimestamp ?? "";
  const progress = { startTime, succeeded: completed, completedIndexes: text };
  const status = { ...progress, uncountedTerminatedPods: {}, ready: 0, terminating: 0 };
  await client.updateStatus(jobs, { ...job, status });
}

async function idleIndexes(scale: number): Promise<readonly Row[]> {
  const completions = MILLION / scale;
  // The first run compiles all code, which also uses memory.
  await memoryOf(completions, { completed: 0, text: "" });
  const waiting = await memoryOf(completions, { completed: 0, text: "" });
  const completed = completions / 10;
  const text = Array.from({ length: completed }, (_, index) => index * 10).join(",");
  const scattered = await memoryOf(completions, { completed, text });
  const bytes = (total: number) => `${(total / completions).toFixed(2)} bytes`;
  const of = `of ${completions.toLocaleString("en")}`;
  return [
    { what: `memory per idle index, ${of}`, value: bytes(waiting), beside: "bar 16 bytes" },
    {
      what: `the same with ${completed.toLocaleString("en")} scattered ones complete`,
      value: bytes(scattered),
      beside: "bar 16 bytes",
    },
  ];
}

/** The memory of a Job without pods that the controller knows. */
function memoryOf(
  completions: number,
  progress: { readonly completed: number; readonly text: string },
): Promise<number> {
  return withJobEngine(async ({ client, startController, synced }) => {
    const sizes = { completions: 10, parallelism: 0 };
    await createAdvanced(client, { name: "first", ...sizes }, { completed: 0, text: "" });
    await startController();
    await synced();
    const before = memoryUsed();
    await createAdvanced(client, { name: "idle", ...sizes, completions }, progress);
    await client.patch(
      jobs,
      { namespace: NAMESPACE, name: "idle" },
      { type: "merge", body: { spec: { parallelism: 1 } } },
    );
    await untilStatus(client, "idle", ({ active = 0 }) => active === 1);
    await synced();
    return memoryUsed() - before;
  });
}

function memoryUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function million(scale: number): Promise<readonly Row[]> {
  const completions = MILLION / scale;
  return [await beginning(completions, 5_000 / scale), await ending(completions, 1_000 / scale)];
}

function beginning(completions: number, ran: number): Promise<Row> {
  return withJobEngine(async ({ client, startController, synced }) => {
    await startController();
    const node = await startInstantNode(client, { limit: ran });
    const before = process.cpuUsage();
    await client.create(
      jobs,
      anIndexedJob({ name: "million", completions, parallelism: PARALLELISM }),
    );
    const status = await untilStatus(client, "million", ({ succeeded, active, ready }) => {
      return succeeded === ran && active === PARALLELISM && ready === 0;
    });
    await synced();
    const perPodMs = usedMs(before) / ran;
    node.stop();
    const counted = parseIndexes(status.completedIndexes ?? "", completions).size;
    const { items } = await client.list(pods, { namespace: NAMESPACE });
    const succeeded = items.filter(({ status: { phase } }) => phase === "Succeeded").length;
    if (counted !== ran || succeeded !== ran) throw new Error("the status is wrong");
    return {
      what: `${ran.toLocaleString("en")} pods of ${completions.toLocaleString("en")} completions`,
      value: `${perPodMs.toFixed(3)} ms CPU/pod`,
      beside: "status right",
    };
  });
}

/** All indexes are complete except a number of scattered ones. */
function ending(completions: number, left: number): Promise<Row> {
  return withJobEngine(async ({ client, startController, synced }) => {
    const step = completions / left;
    const runs = Array.from({ length: left }, (_, at) => `${at * step + 1}-${(at + 1) * step - 1}`);
    const size = { name: "million", completions, parallelism: PARALLELISM };
    await createAdvanced(client, size, { completed: completions - left, text: runs.join(",") });
    const node = await startInstantNode(client);
    const began = performance.now();
    await startController();
    const end = await untilStatus(client, "million", (_, job) => hasCondition(job, "Complete"));
    await synced();
    const seconds = (performance.now() - began) / 1000;
    node.stop();
    if (end.completedIndexes !== `0-${completions - 1}`) throw new Error("indexes are missing");
    return {
      what: `the last ${left.toLocaleString("en")} of ${completions.toLocaleString("en")}`,
      value: `${seconds.toFixed(2)} s`,
      beside: "complete, all indexes counted",
    };
  });
}
