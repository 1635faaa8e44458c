/** The operators of examples/ against a real server that runs their pods. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  type V1ConfigMap,
  type V1Job,
} from "@kubernetes/client-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { mapReduce } from "../../examples/operators/map-reduce/map-reduce.ts";
import { type Operator, operate } from "../../examples/operators/operate.ts";
import { sweep } from "../../examples/operators/sweep/sweep.ts";
import { Cluster, until } from "../agent/cluster.ts";

const EXAMPLES = path.resolve(import.meta.dirname, "../../examples/operators");
const namespace = "default";

let cluster: Cluster;
let config: KubeConfig;
let core: CoreV1Api;
let batch: BatchV1Api;
let operating: { readonly stopping: AbortController; readonly ended: Promise<void> } | undefined;

beforeAll(async () => {
  cluster = await Cluster.start();
  config = new KubeConfig();
  config.loadFromFile(cluster.tally.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  batch = config.makeApiClient(BatchV1Api);
});
afterAll(() => cluster.dispose());
afterEach(stop);

function start(operator: Operator): void {
  const stopping = new AbortController();
  const ended = operate(config, { namespace, signal: stopping.signal }, operator);
  operating = { stopping, ended };
}

async function stop(): Promise<void> {
  operating?.stopping.abort();
  await operating?.ended;
  operating = undefined;
}

async function request(file: string, data: object = {}): Promise<V1ConfigMap> {
  const written = parse(readFileSync(path.join(EXAMPLES, file), "utf8"));
  const body = { ...written, data: { ...written.data, ...data } };
  return core.createNamespacedConfigMap({ namespace, body });
}

async function mapData(name: string): Promise<{ readonly [key: string]: string }> {
  const { items } = await core.listNamespacedConfigMap({ namespace });
  return items.find(({ metadata }) => metadata?.name === name)?.data ?? {};
}

async function jobs(): Promise<readonly V1Job[]> {
  return (await batch.listNamespacedJob({ namespace })).items;
}

test("map-reduce counts words, even if its operator is replaced meanwhile", async () => {
  await request("map-reduce/words.yaml");
  start(mapReduce);
  await until(async () => (await jobs()).length > 0);
  await stop();
  start(mapReduce);
  await until(async () => (await mapData("words-result"))["result"] !== undefined);
  const lines = (await mapData("words-result"))["result"]?.split("\n") ?? [];
  expect(lines).toEqual(expect.arrayContaining(["the 4", "fox 2", "dog 2", "brown 1", "runs 1"]));
  expect(lines).toHaveLength(
    "the quick brown fox jumps over lazy dog barks and runs ".split(" ").length,
  );
  expect((await jobs()).map(({ status }) => status?.succeeded)).toEqual([4, 2]);
  await core.deleteNamespacedConfigMap({ namespace, name: "words" });
  await until(async () => (await jobs()).length === 0);
  expect(await mapData("words-result")).toEqual({});
});

test("a sweep stops running trials and starts no more once a score is good enough", async () => {
  const trials = mkdtempSync(path.join(tmpdir(), "tally-sweep-"));
  try {
    const parameters = ["x=1", "x=5", "x=20", "x=21", "x=22", "x=23"].join("\n");
    const slow = '[ "$x" -lt 20 ] || exec sleep 3600';
    const score = "echo $((100 - (x - 5) * (x - 5)))";
    const command = `eval "$PARAMETERS"; touch ${trials}/$x; ${slow}; ${score}`;
    await request("sweep/parabola.yaml", { parameters, command });
    start(sweep);
    await until(async () => (await mapData("parabola"))["best"] !== undefined);
    expect((await mapData("parabola"))["best"]).toBe("100 x=5");
    await until(async () => (await jobs())[0]?.status?.active === undefined);
    const [job] = await jobs();
    expect(job?.spec?.suspend).toBe(true);
    expect(job?.status?.completedIndexes).toMatch(/^(0,)?1$/);
    expect(readdirSync(trials).length).toBeLessThan(6);
    expect(readdirSync(trials)).not.toContain("23");
    await core.deleteNamespacedConfigMap({ namespace, name: "parabola" });
    await until(async () => (await jobs()).length === 0);
  } finally {
    rmSync(trials, { recursive: true, force: true });
  }
});

test("a sweep without a target tries everything and reports the best", async () => {
  const text = readFileSync(path.join(EXAMPLES, "sweep/parabola.yaml"), "utf8");
  const body = parse(text);
  const { target: _, ...data } = body.data;
  await core.createNamespacedConfigMap({ namespace, body: { ...body, data } });
  start(sweep);
  await until(async () => (await mapData("parabola"))["best"] !== undefined);
  expect((await mapData("parabola"))["best"]).toBe("100 x=5");
  const [job] = await jobs();
  expect(job?.status).toMatchObject({ succeeded: 6, completedIndexes: "0-5" });
});
