/** @kubernetes/client-node as programs use it: an informer, Jobs, logs, exec, patches, errors. */
import { PassThrough, Writable } from "node:stream";
import {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  Log,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Job,
  type V1Status,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, until } from "../agent/cluster.ts";

const NAMESPACE = "default";

let cluster: Cluster;
let config: KubeConfig;
let batch: BatchV1Api;
let core: CoreV1Api;

beforeAll(async () => {
  cluster = await Cluster.start();
  config = new KubeConfig();
  config.loadFromFile(cluster.tally.kubeconfig);
  batch = config.makeApiClient(BatchV1Api);
  core = config.makeApiClient(CoreV1Api);
});
afterAll(() => cluster.dispose());

function aJob(name: string, script: string, spec: object = {}): V1Job {
  const container = { name: "c", image: "busybox", command: ["sh", "-c", script] };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: { suite: "node" } },
    spec: { completions: 2, parallelism: 2, completionMode: "Indexed", template, ...spec },
  };
}

async function podsOf(job: string) {
  const labelSelector = `batch.kubernetes.io/job-name=${job}`;
  return (await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector })).items;
}

test("an informer sees a Job from its creation to its deletion", async () => {
  const list = () => batch.listNamespacedJob({ namespace: NAMESPACE, labelSelector: "suite=node" });
  const path = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
  const informer = makeInformer(config, path, list, "suite=node");
  const seen: string[] = [];
  let isComplete = false;
  informer.on("add", ({ metadata }) => seen.push(`add ${metadata?.name}`));
  informer.on("update", ({ status }) => {
    isComplete ||= status?.conditions?.some(({ type }) => type === "Complete") ?? false;
  });
  informer.on("delete", ({ metadata }) => seen.push(`delete ${metadata?.name}`));
  await informer.start();
  const created = await batch.createNamespacedJob({
    namespace: NAMESPACE,
    body: aJob("seen", "echo index $JOB_COMPLETION_INDEX"),
  });
  expect(created.spec?.backoffLimit).toBe(6);
  expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
  await until(() => isComplete);
  expect(informer.get("seen", NAMESPACE)?.status?.completedIndexes).toBe("0,1");
  const propagationPolicy = "Background";
  await batch.deleteNamespacedJob({ name: "seen", namespace: NAMESPACE, propagationPolicy });
  await until(() => seen.includes("delete seen"));
  expect(seen).toEqual(["add seen", "delete seen"]);
  await until(async () => (await podsOf("seen")).length === 0);
  await informer.stop();
});

test("logs can be read as a whole and followed until they end", async () => {
  const script = "echo one; sleep 0.2; echo two";
  await batch.createNamespacedJob({
    namespace: NAMESPACE,
    body: aJob("told", script, { completions: 1, parallelism: 1 }),
  });
  await until(async () => (await podsOf("told")).some(({ status }) => status?.phase !== "Pending"));
  const [pod] = await podsOf("told");
  const name = pod?.metadata?.name ?? "";
  const stream = new PassThrough();
  let followed = "";
  stream.on("data", (chunk: Buffer) => {
    followed += chunk.toString("utf8");
  });
  await new Log(config).log(NAMESPACE, name, "c", stream, { follow: true });
  await new Promise((resolve) => stream.once("end", resolve));
  expect(followed).toBe("one\ntwo\n");
  const whole = await core.readNamespacedPodLog({ name, namespace: NAMESPACE, tailLines: 1 });
  expect(whole).toBe("two\n");
});

test("exec runs a command in a container and returns its exit code", async () => {
  await batch.createNamespacedJob({
    namespace: NAMESPACE,
    body: aJob("entered", "sleep 1000", { completions: 1, parallelism: 1 }),
  });
  await until(async () => (await podsOf("entered"))[0]?.status?.phase === "Running");
  const name = (await podsOf("entered"))[0]?.metadata?.name ?? "";
  let printed = "";
  const output = new Writable({
    write: (chunk: Buffer, _, done) => {
      printed += chunk.toString("utf8");
      done();
    },
  });
  const command = ["sh", "-c", "echo inside; exit 3"];
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec(NAMESPACE, name, "c", command, output, output, null, false, resolve)
      .catch(reject);
  });
  expect([printed, status.details?.causes?.[0]?.message]).toEqual(["inside\n", "3"]);
  const suspend = { spec: { suspend: true } };
  const suspended = await batch.patchNamespacedJob(
    { name: "entered", namespace: NAMESPACE, body: suspend },
    setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  );
  expect(suspended.spec?.suspend).toBe(true);
  await until(async () => (await podsOf("entered")).length === 0);
  const body = [{ op: "replace", path: "/spec/parallelism", value: 0 }];
  const scaled = await batch.patchNamespacedJob(
    { name: "entered", namespace: NAMESPACE, body },
    setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
  );
  expect(scaled.spec?.parallelism).toBe(0);
});

test("errors are the same as those of Kubernetes", async () => {
  const refusal = await batch
    .createNamespacedJob({ namespace: NAMESPACE, body: aJob("Not A Name", "true") })
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiException);
  expect((refusal as ApiException<string>).code).toBe(422);
  const absent = await batch
    .readNamespacedJob({ name: "absent", namespace: NAMESPACE })
    .catch((error: unknown) => error);
  expect((absent as ApiException<string>).code).toBe(404);
});
