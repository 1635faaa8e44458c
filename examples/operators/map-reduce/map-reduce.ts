/**
 * Map-reduce out of two Indexed Jobs. Each index of the first has one line of the input in $INPUT
 * and prints lines "KEY VALUE"; they are put together by key, and each index of the second has
 * some of the keys, sorted, on its standard input. What it prints is the result.
 *
 *     request ──> map Job ──> ConfigMap of parts ──> reduce Job ──> ConfigMap of the result
 */
import type { V1ConfigMap, V1Job } from "@kubernetes/client-node";
import {
  type Access,
  hasCondition,
  linesOf,
  madeFor,
  type Operator,
  OWN_LINE,
  outputsOf,
  unlessAbsent,
} from "../operate.ts";

export const mapReduce: Operator = { label: "example.com/map-reduce", reconcile };

const DEFAULT_REDUCERS = 2;

/** Every step is looked for before it is taken: whoever starts again goes on where it was. */
async function reconcile(access: Access, request: V1ConfigMap): Promise<void> {
  const { core, batch, namespace } = access;
  const { name = "" } = request.metadata ?? {};
  if (request.data?.["map"] === undefined) return;
  const map = await findJob(access, `${name}-map`);
  if (!map) {
    await batch.createNamespacedJob({ namespace, body: mapJob(request) });
    return;
  }
  if (!hasCondition(map, "Complete")) return;
  const parts = await findMap(access, `${name}-parts`);
  if (!parts) {
    const mapped = await outputsOf(access, `${name}-map`);
    const data = partition([...mapped.values()], reducersOf(request));
    const metadata = madeFor(request, mapReduce, "parts");
    await core.createNamespacedConfigMap({ namespace, body: { metadata, data } });
  }
  const reduce = await findJob(access, `${name}-reduce`);
  if (!reduce) {
    await batch.createNamespacedJob({ namespace, body: reduceJob(request) });
    return;
  }
  if (!hasCondition(reduce, "Complete") || (await findMap(access, `${name}-result`))) return;
  const reduced = await outputsOf(access, `${name}-reduce`);
  const lines = [...reduced.values()].flatMap(linesOf).sort();
  const metadata = madeFor(request, mapReduce, "result");
  const data = { result: lines.map((line) => `${line}\n`).join("") };
  await core.createNamespacedConfigMap({ namespace, body: { metadata, data } });
}

function findJob({ batch, namespace }: Access, name: string): Promise<V1Job | undefined> {
  return unlessAbsent(batch.readNamespacedJob({ namespace, name }));
}

function findMap({ core, namespace }: Access, name: string): Promise<V1ConfigMap | undefined> {
  return unlessAbsent(core.readNamespacedConfigMap({ namespace, name }));
}

function reducersOf({ data }: V1ConfigMap): number {
  return Number(data?.["reducers"] ?? DEFAULT_REDUCERS);
}

function mapJob(request: V1ConfigMap): V1Job {
  const { name = "" } = request.metadata ?? {};
  const script = `INPUT="${OWN_LINE}"; export INPUT; ${request.data?.["map"] ?? ""}`;
  const input = { name, key: "input" };
  return indexedJob(request, "map", {
    completions: linesOf(request.data?.["input"]).length,
    script,
    env: [{ name: "LINES_OF_INPUT", valueFrom: { configMapKeyRef: input } }],
  });
}

/** A template is the same for all indexes: each pod has all parts, and takes its own. */
function reduceJob(request: V1ConfigMap): V1Job {
  const { name = "" } = request.metadata ?? {};
  const completions = reducersOf(request);
  const own = `eval "printf '%s' \\"\\$PART_$JOB_COMPLETION_INDEX\\""`;
  const env = Array.from({ length: completions }, (_, index) => {
    const configMapKeyRef = { name: `${name}-parts`, key: `part-${index}` };
    return { name: `PART_${index}`, valueFrom: { configMapKeyRef } };
  });
  const script = `${own} | { ${request.data?.["reduce"] ?? "cat"}\n}`;
  return indexedJob(request, "reduce", { completions, script, env });
}

interface Work {
  readonly completions: number;
  readonly script: string;
  readonly env: { name: string; valueFrom: object }[];
}

function indexedJob(request: V1ConfigMap, suffix: string, work: Work): V1Job {
  const { completions, script, env } = work;
  const image = request.data?.["image"] ?? "busybox";
  const container = { name: "main", image, command: ["sh", "-c", script], env };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  return {
    metadata: madeFor(request, mapReduce, suffix),
    spec: { completionMode: "Indexed", completions, parallelism: completions, template },
  };
}

/** Lines of one key are all in one part, and there they are neighbours. */
function partition(outputs: readonly string[], reducers: number): Record<string, string> {
  const parts = Array.from({ length: reducers }, (): string[] => []);
  for (const line of outputs.flatMap(linesOf)) {
    const [key = ""] = line.split(" ");
    parts[hashOf(key) % reducers]?.push(`${line}\n`);
  }
  return Object.fromEntries(parts.map((lines, at) => [`part-${at}`, lines.sort().join("")]));
}

function hashOf(text: string): number {
  let hash = 0;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
