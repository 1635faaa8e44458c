/**
 * The second story of KEP-2214: pods of an Indexed Job that address each other by names made of
 * their index. Its manifest lacks a restart policy, and a command that reads its index from the
 * environment. With these added, ten indexes listen on the same port and each reaches every other.
 */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Pod } from "../../src/api/generated/core.ts";
import { poll } from "../support/poll.ts";
import type { Tally } from "../support/tally.ts";

export const INDEXES = 10;
const PORT = 7000;
const PATIENCE = { interval: 200 };
const NAMESPACE = "/api/v1/namespaces/default";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

/** Whether pods can have their own networks on this machine. */
export const canMakeNetworks = hasCapabilities();

function hasCapabilities(): boolean {
  const status = readFileSync("/proc/self/status", "utf8");
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  const needed = (1n << 12n) | (1n << 21n);
  return (mask & needed) === needed;
}

/** Resolves all names before it does anything else, and never retries a name. */
const PEER = `
const { lookup } = require("node:dns").promises;
const { connect, createServer } = require("node:net");
const own = process.env.JOB_COMPLETION_INDEX;
const all = Array.from({ length: ${INDEXES} }, (_, at) => "my-job-" + at + ".my-job-svc");
const heard = new Set();
const ask = (host, at) => new Promise((resolve) => {
  const socket = connect(${PORT}, host, () => socket.end(own));
  let text = "";
  socket.on("data", (piece) => { text += piece; });
  socket.on("end", () => resolve(text === String(at)));
  socket.on("error", () => setTimeout(() => resolve(ask(host, at)), 20));
});
(async () => {
  const hosts = await Promise.all(all.map((name) => lookup(name)));
  createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (piece) => heard.add(String(piece)));
    socket.on("end", () => socket.end(own));
    socket.on("error", () => {});
  }).listen(${PORT});
  const right = await Promise.all(hosts.map(({ address }, at) => ask(address, at)));
  while (heard.size < all.length) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(right.filter(Boolean).length, heard.size);
  setTimeout(() => process.exit(0), 100);
})();
`;

export async function createPeersService(tally: Tally): Promise<void> {
  const made = await tally.call("POST", `${NAMESPACE}/services`, {
    metadata: { name: "my-job-svc" },
    spec: { clusterIP: "None", selector: { job: "my-job" } },
  });
  expect(made.status).toBe(201);
}

/** Checks that every index reached every other one by name, and that no lookup failed. */
export async function runPeers(tally: Tally): Promise<void> {
  const container = { name: "task", image: "none", command: [process.execPath, "-e", PEER] };
  const spec = { subdomain: "my-job-svc", restartPolicy: "Never", containers: [container] };
  const made = await tally.call("POST", JOBS, {
    metadata: { name: "my-job" },
    spec: {
      completions: INDEXES,
      parallelism: INDEXES,
      completionMode: "Indexed",
      backoffLimit: 0,
      template: { metadata: { labels: { job: "my-job" } }, spec },
    },
  });
  expect(made.status).toBe(201);
  const settled = async () => {
    const pods = await podsOf(tally);
    const failed = pods.find(({ status }) => status.phase === "Failed");
    if (failed) throw new Error(await wordsOf(tally, failed));
    return pods.map(({ status }) => status.phase);
  };
  await poll(settled, PATIENCE).toEqual(Array(INDEXES).fill("Succeeded"));
  const said = await Promise.all(
    (await podsOf(tally)).map(({ metadata }) =>
      tally.call("GET", `${NAMESPACE}/pods/${metadata.name}/log`),
    ),
  );
  expect(said.map(({ text }) => text)).toEqual(Array(INDEXES).fill(`${INDEXES} ${INDEXES}\n`));
  await tally.call("DELETE", `${JOBS}/my-job?propagationPolicy=Background`);
  await poll(settled, PATIENCE).toEqual([]);
}

async function wordsOf(tally: Tally, { metadata, status }: Pod): Promise<string> {
  const { text } = await tally.call("GET", `${NAMESPACE}/pods/${metadata.name}/log`);
  return `${metadata.name}: ${text}${JSON.stringify(status.containerStatuses)}${tally.log()}`;
}

async function podsOf(tally: Tally): Promise<readonly Pod[]> {
  const answer = await tally.call("GET", `${NAMESPACE}/pods?labelSelector=job%3Dmy-job`);
  return answer.json.items;
}
