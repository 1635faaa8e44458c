/** Many watchers: first all of them read, then none. */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { ApiTarget } from "./api-target.ts";
import { type Asked, run } from "./load.ts";
import type { Figure } from "./report.ts";

const AT_ONCE = 50;
const CONNECTIONS = 32;

export interface FanOut {
  readonly watchers: number;
  readonly events: number;
}

/** Every watcher must receive every event. */
export async function measureFanOut(target: ApiTarget, sizes: FanOut): Promise<Figure[]> {
  const path = "/api/v1/namespaces/kube-public/configmaps";
  const { watchers, events } = sizes;
  const prefix = `event-${watchers}`;
  let received = 0;
  let whole: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    whole = resolve;
  });
  const onEvents = (count: number) => {
    received += count;
    if (received === watchers * events) whole();
  };
  const sockets = await openWatches(target, watchers, (number) => {
    return { path: `${path}?watch=1&sendInitialEvents=false${NOT_OLDER}`, number };
  });
  for (const socket of sockets) countEvents(socket, onEvents);
  const beforeMs = await target.cpuMs();
  const began = performance.now();
  const written = await run(target, {
    connections: CONNECTIONS,
    total: events,
    ask: (index) => createMap(path, `${prefix}-${index}`, "y".repeat(100)),
  });
  await done;
  const seconds = (performance.now() - began) / 1000;
  const usedMs = (await target.cpuMs()) - beforeMs;
  const memoryMb = await target.memoryMb();
  for (const socket of sockets) socket.destroy();
  if (written.failed > 0) throw new Error(`${written.failed} writes failed`);
  const what = `${watchers} watchers that read`;
  return [
    { what: `${what}: events/s`, value: (watchers * events) / seconds, isRate: true },
    { what: `${what}: CPU per event, us`, value: (usedMs * 1000) / (watchers * events), digits: 1 },
    { what: `${what}: write p50, ms`, value: written.p50Ms, digits: 1 },
    { what: `${what}: write p99, ms`, value: written.p99Ms, digits: 1 },
    { what: `${what}: memory, MB`, value: memoryMb },
  ];
}

const NOT_OLDER = "&resourceVersionMatch=NotOlderThan";

export interface Stuck {
  readonly watchers: number;
  readonly writes: number;
  readonly bytes: number;
}

/** Half of them have the same selector, the others each have their own. */
export async function measureStuck(target: ApiTarget, sizes: Stuck): Promise<Figure[]> {
  const { watchers, writes, bytes } = sizes;
  const path = "/api/v1/namespaces/kube-node-lease/configmaps";
  const before = await target.memoryMb();
  const sockets = await openWatches(target, watchers, (number) => {
    const own = number % 2 === 0 ? "" : `&labelSelector=number!%3D${number}`;
    return { path: `${path}?watch=1&sendInitialEvents=false${NOT_OLDER}${own}`, number };
  });
  for (const socket of sockets) socket.pause();
  let mostMb = 0;
  const sampling = setInterval(() => {
    void target.memoryMb().then((memoryMb) => {
      mostMb = Math.max(mostMb, memoryMb);
    });
  }, SAMPLE_MS);
  const written = await run(target, {
    connections: 1,
    total: writes,
    ask: (index) => createMap(path, `stuck-${index}`, "x".repeat(bytes)),
  });
  clearInterval(sampling);
  mostMb = Math.max(mostMb, await target.memoryMb());
  for (const socket of sockets) socket.destroy();
  if (written.failed > 0) throw new Error(`${written.failed} writes failed`);
  const what = `${watchers} watchers that do not read`;
  return [
    { what: `${what}: memory, MB`, value: mostMb },
    { what: `${what}: memory more than before, MB`, value: mostMb - before },
    { what: `${what}: write p50, ms`, value: written.p50Ms, digits: 1 },
    { what: `${what}: write p99, ms`, value: written.p99Ms, digits: 1 },
  ];
}

const SAMPLE_MS = 50;

export function createMap(path: string, name: string, payload: string): Asked {
  const typeMeta = { apiVersion: "v1", kind: "ConfigMap" };
  const body = JSON.stringify({ ...typeMeta, metadata: { name }, data: { payload } });
  return { method: "POST", path, body, expect: 201 };
}

interface Watch {
  readonly number: number;
  readonly path: string;
}

async function openWatches(
  target: ApiTarget,
  count: number,
  watchOf: (number: number) => Watch,
): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  while (sockets.length < count) {
    const from = sockets.length;
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => from + at);
    const opened = numbers.map((number) => openWatch(target, watchOf(number)));
    sockets.push(...(await Promise.all(opened)));
  }
  return sockets;
}

/** Resolves when the answer has started. */
async function openWatch({ url, token }: ApiTarget, { path }: Watch): Promise<TLSSocket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.on("error", () => {});
  const start = `GET ${path} HTTP/1.1`;
  const lines = [start, `Host: ${host}`, `Authorization: Bearer ${token}`, "", ""];
  socket.write(lines.join("\r\n"));
  const [head] = (await once(socket, "data")) as [Buffer];
  if (!head.toString("latin1").startsWith("HTTP/1.1 200")) {
    throw new Error(`a watch was refused: ${head.toString("latin1")}`);
  }
  return socket;
}

/** Only events end with a brace and a line break. */
function countEvents(socket: TLSSocket, onEvents: (count: number) => void): void {
  let last = 0;
  socket.on("data", (chunk: Buffer) => {
    let count = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, at + 1)) {
      if ((at === 0 ? last : chunk[at - 1]) === BRACE) count++;
    }
    last = chunk[chunk.length - 1] ?? 0;
    if (count > 0) onEvents(count);
  });
}

const NEW_LINE = 10;
const BRACE = 125;
