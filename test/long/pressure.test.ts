/** One client that floods the server, and two thousand watchers that do not read. */
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const MIB = 1024 * 1024;

let tally: Tally;
beforeAll(async () => {
  tally = await startTally({ args: ["--no-agent", "--controllers=none"] });
});
afterAll(() => tally.dispose());

/** The resident memory of the server. */
async function memoryBytes(): Promise<number> {
  const status = await readFile(`/proc/${tally.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

interface Asking {
  readonly path: string;
  readonly connections: number;
  readonly userAgent: string;
}

/**
 * Sends requests repeatedly, one at a time on each connection. Returns a function that stops it.
 */
function askOn({ path, connections, userAgent }: Asking): () => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca: tally.ca });
  const headers = { Authorization: `Bearer ${tally.token}`, "User-Agent": userAgent };
  let answered = 0;
  let isOver = false;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(`${tally.url}${path}`, { agent, headers }, (response) => {
        response.resume().on("end", () => {
          if (response.statusCode === 200) answered++;
          resolve();
        });
      });
      sent.on("error", reject).end();
    });
  const loop = async (): Promise<void> => {
    while (!isOver) await one();
  };
  const loops = Array.from({ length: connections }, loop);
  return async () => {
    isOver = true;
    await Promise.all(loops);
    agent.destroy();
    return answered;
  };
}

/** Sends one request after the other in its own thread: the main thread is busy with the flood. */
const MODEST = `
const { parentPort, workerData: { url, token, ca } } = require("node:worker_threads");
const https = require("node:https");
const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
const headers = { Authorization: "Bearer " + token, "User-Agent": "modest" };
let answered = 0;
const ask = () => https.get(url, { agent, headers }, (response) => {
  response.resume().on("end", () => {
    if (response.statusCode === 200) answered++;
    ask();
  });
});
ask();
parentPort.once("message", () => {
  parentPort.postMessage(answered);
  process.exit(0);
});
`;

function askModestly(path: string): () => Promise<number> {
  const { ca, token, url } = tally;
  const worker = new Worker(MODEST, {
    eval: true,
    workerData: { url: `${url}${path}`, token, ca },
  });
  return () =>
    new Promise((resolve, reject) => {
      worker.once("error", reject).once("message", resolve).postMessage("over");
    });
}

test("a client that floods the server does not starve a light client", async () => {
  const data = { text: "x".repeat(20_000) };
  for (let each = 0; each < 200; each++) {
    await tally.call("POST", CONFIG_MAPS, { metadata: { name: `c${each}` }, data });
  }
  const stopModest = askModestly(`${CONFIG_MAPS}/c1`);
  const stopFlood = askOn({ path: CONFIG_MAPS, connections: 100, userAgent: "flood" });
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const [modest, flood] = await Promise.all([stopModest(), stopFlood()]);
  // On one connection the light client gets more answers than the flood on ten.
  expect({ flood, modest: modest > (flood / 100) * 10 }).toEqual({
    flood: expect.any(Number),
    modest: true,
  });
});

const WATCHERS = 2000;
const AT_ONCE = 50;
const WRITES = 200;

async function stuckWatch(number: number): Promise<TLSSocket> {
  const { hostname, port, host } = new URL(tally.url);
  const socket = connect({ host: hostname, port: Number(port), ca: tally.ca });
  socket.on("error", () => {});
  // Half of them have the same selector, the others each have their own.
  const own = number % 2 === 0 ? "" : `&labelSelector=number!%3D${number}`;
  const start = `GET ${CONFIG_MAPS}?watch=1&resourceVersion=0${own} HTTP/1.1`;
  const lines = [start, `Host: ${host}`, `Authorization: Bearer ${tally.token}`, "", ""];
  socket.write(lines.join("\r\n"));
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

test("two thousand unread watches use a bounded amount of memory", async () => {
  const watchers: TLSSocket[] = [];
  for (let each = 0; each < WATCHERS; each += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, at) => each + at);
    watchers.push(...(await Promise.all(numbers.map(stuckWatch))));
  }
  const data = { text: "x".repeat(100_000) };
  let most = 0;
  for (let each = 0; each < WRITES; each++) {
    const { status } = await tally.call("POST", CONFIG_MAPS, {
      metadata: { name: `w${each}` },
      data,
    });
    expect(status).toBe(201);
    most = Math.max(most, await memoryBytes());
  }
  // Together the watchers should have received 40 GB.
  expect(Math.round(most / MIB)).toBeLessThan(1200);
  for (const socket of watchers) socket.destroy();
});
