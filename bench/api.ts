/**
 * The API server over TLS with its journal syncing. With --peer the same load is run against a real
 * kube-apiserver with etcd (fsync switched off) on the same machine. Without it, requests are
 * compared with figures that were recorded on a machine of the same size.
 */
import { type ApiTarget, startOurs, startPeer } from "./api-target.ts";
import { type LoadResult, run } from "./load.ts";
import type { BenchOptions } from "./options.ts";
import { measurePages } from "./pages.ts";
import { besidePeer, type Figure, type Row, table } from "./report.ts";
import { createMap, measureFanOut, measureStuck } from "./watchers.ts";

const CONNECTIONS = 32;
const PAYLOAD = "x".repeat(1_800);
const PATH = "/api/v1/namespaces/default/configmaps";

const RECORDED: readonly Figure[] = [
  { what: "creates/s", value: 1_691, isRate: true },
  { what: "create p50, ms", value: Number.NaN },
  { what: "create p99, ms", value: 53 },
  { what: "gets/s", value: 3_441, isRate: true },
];

export async function benchApiRequests(options: BenchOptions): Promise<void> {
  const scale = options.isQuick ? 20 : 1;
  const bars: Row[] = [];
  const ours = await measured(startOurs, async (target) => {
    bars.push(...(await readiness(target)));
    const figures = await throughput(target, scale);
    bars.push(...(await growth(target, scale)));
    return figures;
  });
  const peer = options.hasPeer
    ? await measured(startPeer, (target) => throughput(target, scale))
    : RECORDED;
  table("api: 2 KB ConfigMaps, 32 TLS connections, journal syncing", [
    ...bars,
    ...besidePeer(ours, peer),
  ]);
}

export async function benchApiWatchers(options: BenchOptions): Promise<void> {
  const scale = options.isQuick ? 10 : 1;
  const loads = [
    (target: ApiTarget) => measureFanOut(target, { watchers: 500, events: 2_000 / scale }),
    (target: ApiTarget) => measureFanOut(target, { watchers: 2_000 / scale, events: 500 }),
    (target: ApiTarget) =>
      measureStuck(target, { watchers: 2_000 / scale, writes: 200, bytes: 100_000 }),
  ];
  const rows: Row[] = [];
  for (const load of loads) rows.push(...(await compared(options, load)));
  table("api: watchers of ConfigMaps", rows);
}

export async function benchApiPages(options: BenchOptions): Promise<void> {
  const sizes = options.isQuick ? { pods: 5_000, lists: 1 } : { pods: 100_000, lists: 2 };
  const title = `api: a list of ${sizes.pods.toLocaleString("en")} pods while others are written`;
  table(title, await compared(options, (target) => measurePages(target, sizes)));
}

async function compared(
  { hasPeer }: BenchOptions,
  measure: (target: ApiTarget) => Promise<Figure[]>,
): Promise<Row[]> {
  const ours = await measured(startOurs, measure);
  return besidePeer(ours, hasPeer ? await measured(startPeer, measure) : undefined);
}

/** On a new server, so that earlier measurements have no effect. */
async function measured<Result>(
  start: () => Promise<ApiTarget>,
  measure: (target: ApiTarget) => Promise<Result>,
): Promise<Result> {
  const target = await start();
  try {
    return await measure(target);
  } finally {
    await target.dispose();
  }
}

async function readiness(target: ApiTarget): Promise<Row[]> {
  const idleMb = await target.memoryMb();
  return [
    { what: "ready after start", value: `${target.readyMs.toFixed(0)} ms`, beside: "bar 500 ms" },
    { what: "memory when idle", value: `${idleMb.toFixed(0)} MB`, beside: "bar 120 MB" },
  ];
}

async function creates(target: ApiTarget, prefix: string, total: number): Promise<LoadResult> {
  const created = await run(target, {
    connections: CONNECTIONS,
    total,
    ask: (index) => createMap(PATH, `${prefix}-${index}`, PAYLOAD),
  });
  if (created.failed > 0) throw new Error(`${created.failed} creates failed`);
  return created;
}

async function throughput(target: ApiTarget, scale: number): Promise<Figure[]> {
  await creates(target, "warm", 2_000);
  const total = 20_000 / scale;
  const created = await creates(target, "create", total);
  const ask = (index: number) => ({
    method: "GET",
    path: `${PATH}/create-${index % total}`,
    expect: 200,
  });
  const got = await run(target, { connections: CONNECTIONS, total: 2 * total, ask });
  const single = await run(target, { connections: 1, total: 2_000 / scale, ask: createOne });
  const failed = got.failed + single.failed;
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return [
    { what: "creates/s", value: created.perSecond, isRate: true },
    { what: "create p50, ms", value: created.p50Ms, digits: 1 },
    { what: "create p99, ms", value: created.p99Ms, digits: 1 },
    { what: "gets/s", value: got.perSecond, isRate: true },
    { what: "get p50, ms", value: got.p50Ms, digits: 1 },
    { what: "get p99, ms", value: got.p99Ms, digits: 1 },
    { what: "create by one client p50, ms", value: single.p50Ms, digits: 2 },
    { what: "create by one client p99, ms", value: single.p99Ms, digits: 2 },
    { what: "memory then, MB", value: await target.memoryMb() },
  ];
}

function createOne(index: number) {
  return createMap(PATH, `single-${index}`, PAYLOAD);
}

/** The server's CPU time per create, with few and with many objects stored. */
async function growth(target: ApiTarget, scale: number): Promise<Row[]> {
  const few = await measured(startOurs, async (fresh) => {
    await creates(fresh, "warm", 1_000);
    return cpuPerCreate(fresh, "few", 4_000);
  });
  await creates(target, "fill", 78_000 / scale);
  const many = await cpuPerCreate(target, "many", 4_000);
  const memoryMb = await target.memoryMb();
  return [
    {
      what: "CPU per create at 1,000 / 100,000",
      value: `${few.toFixed(3)} / ${many.toFixed(3)} ms`,
      beside: `${(many / few).toFixed(2)} times, bar 1.3`,
    },
    {
      what: "memory with 100,000 objects",
      value: `${memoryMb.toFixed(0)} MB`,
      beside: "real: 390 MB nearly idle",
    },
  ];
}

async function cpuPerCreate(target: ApiTarget, prefix: string, total: number): Promise<number> {
  const before = await target.cpuMs();
  await creates(target, prefix, total);
  return ((await target.cpuMs()) - before) / total;
}
