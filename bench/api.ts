/**
 * The API server over TLS with its journal syncing, beside a real kube-apiserver with etcd on a
 * machine of the same size (etcd's fsync switched off), whose figures were recorded.
 */
import { once } from "node:events";
import { request } from "node:https";
import { startTally, type Tally } from "../test/support/tally.ts";
import { run } from "./load.ts";
import { cpuMs, residentMb } from "./process-figures.ts";
import { type Row, table } from "./report.ts";

const RECORDED = { creates: 1_691, createsP99Ms: 53, gets: 3_441, memoryMb: 390 };
const CONNECTIONS = 32;
const PAYLOAD = "x".repeat(1_800);
const PATH = "/api/v1/namespaces/default/configmaps";

export async function benchApi(): Promise<void> {
  const began = performance.now();
  const tally = await startTally({ args: ["--controllers=none", "--no-agent"] });
  const readyMs = performance.now() - began;
  try {
    const idleMb = await residentMb(tally);
    const rows: Row[] = [
      { what: "ready after start", value: `${readyMs.toFixed(0)} ms`, beside: "bar 500 ms" },
      { what: "memory when idle", value: `${idleMb.toFixed(0)} MB`, beside: "bar 120 MB" },
    ];
    await creates(tally, "warm", 2_000);
    rows.push(...(await throughput(tally)), ...(await growth(tally)), ...(await fanOut(tally)));
    rows.push({
      what: "memory with 100,000 objects",
      value: `${(await residentMb(tally)).toFixed(0)} MB`,
      beside: `real: ${RECORDED.memoryMb} MB nearly idle`,
    });
    table("api: 2 KB ConfigMaps, 32 TLS connections, journal syncing", rows);
  } finally {
    await tally.dispose();
  }
}

function creates(tally: Tally, prefix: string, total: number) {
  return run(tally, {
    connections: CONNECTIONS,
    total,
    method: "POST",
    path: () => PATH,
    body: (index) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${prefix}-${index}` },
        data: { payload: PAYLOAD },
      }),
    expect: 201,
  });
}

async function throughput(tally: Tally): Promise<Row[]> {
  const created = await creates(tally, "create", 20_000);
  const got = await run(tally, {
    connections: CONNECTIONS,
    total: 40_000,
    method: "GET",
    path: (index) => `${PATH}/create-${index % 20_000}`,
    expect: 200,
  });
  const failed = created.failed + got.failed;
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return [
    {
      what: "creates/s",
      value: created.perSecond.toFixed(0),
      beside: besideReal(created.perSecond, RECORDED.creates),
    },
    {
      what: "create p50 / p99",
      value: `${created.p50Ms.toFixed(1)} / ${created.p99Ms.toFixed(1)} ms`,
      beside: `real p99: ${RECORDED.createsP99Ms} ms`,
    },
    {
      what: "gets/s",
      value: got.perSecond.toFixed(0),
      beside: besideReal(got.perSecond, RECORDED.gets),
    },
    {
      what: "get p50 / p99",
      value: `${got.p50Ms.toFixed(1)} / ${got.p99Ms.toFixed(1)} ms`,
      beside: "",
    },
  ];
}

function besideReal(measured: number, real: number): string {
  return `real: ${real}, ratio ${(measured / real).toFixed(2)}`;
}

/** The server's CPU time per create, with few and with many objects stored. */
async function growth(tally: Tally): Promise<Row[]> {
  const fresh = await startTally({ args: ["--controllers=none", "--no-agent"] });
  let few: number;
  try {
    await creates(fresh, "warm", 1_000);
    few = await cpuPerCreate(fresh, "few", 4_000);
  } finally {
    await fresh.dispose();
  }
  await creates(tally, "fill", 78_000);
  const many = await cpuPerCreate(tally, "many", 4_000);
  return [
    {
      what: "CPU per create at 1,000 / 100,000",
      value: `${few.toFixed(3)} / ${many.toFixed(3)} ms`,
      beside: `ratio ${(many / few).toFixed(2)}, bar 1.3`,
    },
  ];
}

async function cpuPerCreate(tally: Tally, prefix: string, total: number): Promise<number> {
  const before = await cpuMs(tally);
  await creates(tally, prefix, total);
  return ((await cpuMs(tally)) - before) / total;
}

const WATCHERS = 500;
const EVENTS = 2_000;

/** Every watcher must receive every event. */
async function fanOut(tally: Tally): Promise<Row[]> {
  const path = "/api/v1/namespaces/kube-public/configmaps";
  const listed = await tally.call("GET", path);
  const revision = listed.json.metadata.resourceVersion;
  const counts = new Uint32Array(WATCHERS);
  let received = 0;
  let whole: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    whole = resolve;
  });
  const opened = Array.from({ length: WATCHERS }, (_, index) =>
    openWatch(tally, `${path}?watch=1&resourceVersion=${revision}`, (lines) => {
      counts[index] = (counts[index] ?? 0) + lines;
      received += lines;
      if (received === WATCHERS * EVENTS) whole();
    }),
  );
  const watches = await Promise.all(opened);
  const began = performance.now();
  await run(tally, {
    connections: CONNECTIONS,
    total: EVENTS,
    method: "POST",
    path: () => path,
    body: (index) =>
      JSON.stringify({ metadata: { name: `event-${index}` }, data: { payload: "y".repeat(100) } }),
    expect: 201,
  });
  await done;
  const seconds = (performance.now() - began) / 1000;
  for (const watch of watches) watch.destroy();
  return [
    {
      what: `fan-out, ${WATCHERS} watchers x ${EVENTS} events`,
      value: `${((WATCHERS * EVENTS) / seconds).toFixed(0)} events/s`,
      beside: `${seconds.toFixed(2)} s`,
    },
  ];
}

async function openWatch(tally: Tally, path: string, onLines: (lines: number) => void) {
  const sent = request(`${tally.url}${path}`, {
    rejectUnauthorized: false,
    agent: false,
    headers: { Authorization: `Bearer ${tally.token}` },
  });
  sent.end();
  const [response] = await once(sent, "response");
  response.on("data", (chunk: Buffer) => {
    let lines = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    onLines(lines);
  });
  response.on("error", () => {});
  sent.on("error", () => {});
  return sent;
}
