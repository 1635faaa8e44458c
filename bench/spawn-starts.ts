/** How long it takes until the process of a pod runs: one at a time, many Jobs, many sleepers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../src/api/generated/core.ts";
import { pods } from "../src/api/resources.ts";
import type { BenchOptions } from "./options.ts";
import { residentMb } from "./process-figures.ts";
import { type Row, table } from "./report.ts";
import { MIXED_LOAD, NAMESPACE, runJobs, startJob, untilStatus } from "./run-jobs.ts";
import type { SpawnCluster } from "./spawn-cluster.ts";

export async function benchSpawnStarts(
  cluster: SpawnCluster,
  { isQuick }: BenchOptions,
): Promise<void> {
  table("spawn: one pod at a time, from its creation over HTTP to its process", [
    ...(await startLatency(cluster, isQuick ? 20 : 300)),
  ]);
  table("spawn: the load of KEP-2214, real processes", [await mixedLoad(cluster)]);
}

export async function benchSleepers(
  cluster: SpawnCluster,
  { isQuick }: BenchOptions,
): Promise<void> {
  table("spawn: pods that stay", [...(await sleepers(cluster, isQuick ? 50 : 1_000))]);
}

const WARM_UP = 20;
const PAUSE_MS = 20;

async function startLatency(cluster: SpawnCluster, count: number): Promise<readonly Row[]> {
  const starts: number[] = [];
  const answers: number[] = [];
  for (let index = 0; index < WARM_UP + count; index++) {
    const { startMs, answerMs } = await startOne(cluster, `start-${index}`);
    if (index < WARM_UP) continue;
    starts.push(startMs);
    answers.push(answerMs);
    await sleep(PAUSE_MS);
  }
  const row = (what: string, all: number[], beside: string) => ({
    what,
    value: `p50 ${quantile(all, 0.5)} ms, p99 ${quantile(all, 0.99)} ms`,
    beside,
  });
  return [
    row("process running", starts, "bar: p99 25 ms; it tells its own time"),
    row("answer to the creation", answers, "the pod is on disk"),
  ];
}

function quantile(all: readonly number[], share: number): string {
  const sorted = all.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
}

interface Start {
  readonly startMs: number;
  readonly answerMs: number;
}

async function startOne({ client, tally }: SpawnCluster, name: string): Promise<Start> {
  const over = untilOver(client, name);
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "c", image: "none", command: ["date", "+%s%N"], resources: {} }],
    },
    status: {},
  } satisfies Pod;
  const createdMs = wallMs();
  await client.create(pods, pod);
  const answerMs = wallMs() - createdMs;
  await over;
  const { text } = await tally.call("GET", `/api/v1/namespaces/${NAMESPACE}/pods/${name}/log`);
  return { startMs: Number(text) / 1e6 - createdMs, answerMs };
}

/** More precise than Date.now, and comparable with the clock of other processes. */
function wallMs(): number {
  return performance.now() + OFFSET_MS;
}

const OFFSET_MS = offsetMs();

function offsetMs(): number {
  const fromMs = Date.now();
  while (Date.now() === fromMs);
  return Date.now() - performance.now();
}

function untilOver(client: SpawnCluster["client"], name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fieldSelector = `metadata.name=${name}`;
    const request = { namespace: NAMESPACE, fieldSelector, resourceVersion: "0" };
    const watch = client.watch(pods, request, {
      onEvent: ({ object }) => {
        if (object.status.phase !== "Succeeded") return;
        resolve();
        queueMicrotask(() => watch.close());
      },
      onEnd: (error) => reject(error ?? new Error("the watch of pods ended")),
    });
  });
}

const BAR_SECONDS = 5;

async function mixedLoad({ client }: SpawnCluster): Promise<Row> {
  const seconds = await runJobs(client, MIXED_LOAD);
  return {
    what: "101 Indexed Jobs, 1,200 pods",
    value: `${seconds.toFixed(2)} s`,
    beside: `bar ${BAR_SECONDS} s`,
  };
}

async function sleepers(cluster: SpawnCluster, count: number): Promise<readonly Row[]> {
  const { client, tally, spawner } = cluster;
  const before = await residentMb(tally);
  const fromMs = performance.now();
  await startJob(client, { name: "sleepers", completions: count, command: ["sleep", "3600"] });
  await untilStatus(client, "sleepers", ({ ready }) => ready === count);
  const seconds = (performance.now() - fromMs) / 1000;
  return [
    {
      what: `${count.toLocaleString("en")} pods of sleep, until all are ready`,
      value: `${seconds.toFixed(2)} s`,
      beside: `${Math.round(count / seconds)}/s`,
    },
    {
      what: "memory of the server with them",
      value: `${(await residentMb(tally)).toFixed(0)} MB`,
      beside: `${before.toFixed(0)} MB before; bar 1,024 MB`,
    },
    {
      what: "memory of the spawner",
      value: `${(await residentMb(spawner)).toFixed(0)} MB`,
      beside: "without the slots",
    },
  ];
}
