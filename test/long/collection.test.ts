/**
 * Large owners are deleted quickly together with their dependents, and no process is left behind.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";
import { markedProcesses } from "../support/marked-processes.ts";

const MARK = "COLLECTION_TEST";
const PODS = 1000;
const OBJECTS = 10_000;
const CREATIONS_AT_ONCE = 64;

let cluster: Cluster;
let mark: string;
beforeEach(async () => {
  mark = `${process.pid}-${performance.now()}`;
  cluster = await Cluster.start();
});
afterEach(() => cluster.dispose());

test("a Job of a thousand running pods is deleted in the foreground", async () => {
  await thousandPods("many");
  const fromMs = performance.now();
  const { status } = await cluster.tally.call(
    "DELETE",
    "/apis/batch/v1/namespaces/default/jobs/many?propagationPolicy=Foreground",
  );
  expect(status).toBe(200);
  await until(async () => (await jobStatus("many")) === 404);
  const seconds = secondsSince(fromMs);
  expect(markedProcesses(MARK, mark), "processes when the Job is gone").toEqual([]);
  expect(await cluster.podsOf("many")).toEqual([]);
  say(`a Job of ${PODS} running pods is gone after ${seconds} s`);
  expect(seconds).toBeLessThan(5);
});

test("a namespace of ten thousand objects is deleted", async () => {
  await cluster.create("/api/v1/namespaces", { kind: "Namespace", metadata: { name: "full" } });
  await fill("full");
  const fromMs = performance.now();
  await cluster.tally.call("DELETE", "/api/v1/namespaces/full");
  await until(
    async () => (await cluster.tally.call("GET", "/api/v1/namespaces/full")).status === 404,
  );
  const seconds = secondsSince(fromMs);
  say(`a namespace of ${OBJECTS} objects is gone after ${seconds} s`);
  expect(seconds).toBeLessThan(10);
  const { json } = await cluster.tally.call("GET", "/api/v1/configmaps?limit=100");
  const left = json.items.filter((each: { metadata: { namespace: string } }) => {
    return each.metadata.namespace === "full";
  });
  expect(left).toEqual([]);
});

async function thousandPods(name: string): Promise<void> {
  const env = [{ name: MARK, value: mark }];
  const containers = [script("exec sleep 3600", { env })];
  await cluster.createJob(name, { completions: PODS, parallelism: PODS }, { containers });
  await until(async () => (await cluster.findJob(name)).status.ready === PODS);
  expect(markedProcesses(MARK, mark)).toHaveLength(PODS);
}

/** ConfigMaps, Secrets, unschedulable pods, and Jobs with their pods. */
async function fill(namespace: string): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}`;
  const bodies = Array.from(
    { length: OBJECTS },
    (_, number): readonly [string, { readonly [key: string]: unknown }] => {
      const metadata = { name: `o-${number}` };
      if (number % 4 === 1) return [`${core}/secrets`, { metadata, stringData: { a: "b" } }];
      if (number % 4 === 2) return [`${core}/pods`, { metadata, spec: waitingPod() }];
      return [`${core}/configmaps`, { metadata, data: { a: "b" } }];
    },
  );
  const creators = Array.from({ length: CREATIONS_AT_ONCE }, async () => {
    for (let next = bodies.pop(); next; next = bodies.pop()) await cluster.create(...next);
  });
  await Promise.all(creators);
}

function waitingPod(): object {
  return { nodeSelector: { none: "such" }, containers: [script("true")] };
}

async function jobStatus(name: string): Promise<number> {
  const path = `/apis/batch/v1/namespaces/default/jobs/${name}`;
  return (await cluster.tally.call("GET", path)).status;
}

function secondsSince(fromMs: number): number {
  return Number(((performance.now() - fromMs) / 1000).toFixed(2));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
