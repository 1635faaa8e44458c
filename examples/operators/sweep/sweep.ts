/**
 * A parameter sweep that stops when it has found enough. Each index of an Indexed Job has one line
 * of the parameters in $PARAMETERS and prints its score last. As soon as one reaches the target the
 * Job is suspended: what runs is stopped, what has not begun never does.
 */
import {
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Job,
} from "@kubernetes/client-node";
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

export const sweep: Operator = { label: "example.com/sweep", reconcile };

const DEFAULT_PARALLELISM = "2";
const MERGE = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

async function reconcile(access: Access, request: V1ConfigMap): Promise<void> {
  const { core, batch, namespace } = access;
  const { name = "" } = request.metadata ?? {};
  const { data = {} } = request;
  if (data["command"] === undefined || data["best"] !== undefined) return;
  const job = `${name}-sweep`;
  const present = await unlessAbsent(batch.readNamespacedJob({ namespace, name: job }));
  if (!present) {
    await batch.createNamespacedJob({ namespace, body: sweepJob(request) });
    return;
  }
  const best = bestOf(await outputsOf(access, job));
  const isEnough = best !== undefined && best.score >= Number(data["target"] ?? "Infinity");
  const isOver = hasCondition(present, "Complete") || hasCondition(present, "Failed");
  if (!isEnough && !isOver) return;
  if (!isOver) {
    const body = { spec: { suspend: true } };
    await batch.patchNamespacedJob({ namespace, name: job, body }, MERGE);
  }
  const parameters = linesOf(data["parameters"])[best?.index ?? -1] ?? "";
  const found = best ? `${best.score} ${parameters}` : "";
  await core.patchNamespacedConfigMap({ namespace, name, body: { data: { best: found } } }, MERGE);
}

interface Scored {
  readonly index: number;
  readonly score: number;
}

function bestOf(outputs: ReadonlyMap<number, string>): Scored | undefined {
  const scored = [...outputs].map(([index, text]): Scored => {
    return { index, score: Number(linesOf(text).at(-1)) };
  });
  const numbers = scored.filter(({ score }) => !Number.isNaN(score));
  return numbers.sort((one, other) => other.score - one.score || one.index - other.index)[0];
}

function sweepJob(request: V1ConfigMap): V1Job {
  const { name = "" } = request.metadata ?? {};
  const { data = {} } = request;
  const script = `PARAMETERS="${OWN_LINE}"; export PARAMETERS; ${data["command"] ?? ""}`;
  const configMapKeyRef = { name, key: "parameters" };
  const env = [{ name: "LINES_OF_INPUT", valueFrom: { configMapKeyRef } }];
  const image = data["image"] ?? "busybox";
  const container = { name: "main", image, command: ["sh", "-c", script], env };
  return {
    metadata: madeFor(request, sweep, "sweep"),
    spec: {
      completionMode: "Indexed",
      completions: linesOf(data["parameters"]).length,
      parallelism: Number(data["parallelism"] ?? DEFAULT_PARALLELISM),
      // A trial that fails has no score; the others go on.
      backoffLimitPerIndex: 0,
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  };
}
