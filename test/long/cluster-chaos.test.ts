/**
 * A Job of a thousand pods under tally controller on a real cluster, while something breaks: it
 * must end correctly, count nothing twice, and leave no finalizer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import { jobs, leases, namespaces, pods } from "../../src/api/resources.ts";
import { type RemoteClient, remoteClient } from "../../src/client/remote.ts";
import type { ControlPlane } from "../cluster/control-plane.ts";
import { playInstantPods } from "../cluster/instant-pods.ts";
import { startControllerManager } from "../cluster/kube-components.ts";
import {
  MANAGED_BY,
  startTallyController,
  type TallyController,
} from "../cluster/tally-controller.ts";
import { type ClusterTest, clusterTests } from "../cluster/with-cluster.ts";
import { openRelay } from "../operations/tcp-relay.ts";
import { poll } from "../support/poll.ts";

const PODS = 1_000;
const AT_ONCE = 200;
const SOON = { timeout: 600_000, interval: 200 };
const ELECTED = ["--leader-elect", "--kube-api-qps", "0"];

const check = clusterTests();

check("a Job completes although the leader is killed", async (context) => {
  const scene = await setUp(context, "killed");
  const [leader, other] = await twoControllers(context, context.cluster.kubeconfig);
  await begin(scene);
  await untilSucceeded(scene, PODS / 4);
  await leader.stop("SIGKILL");
  const before = await succeeded(scene);
  await endsRight(scene);
  expect(before).toBeLessThan(PODS);
  expect(other.log()).toContain('"message":"leading"');
});

check("a Job completes although the leader is disconnected for half a minute", async (context) => {
  const { cluster, atEnd } = context;
  const scene = await setUp(context, "cut");
  const relay = await openRelay(cluster.url);
  atEnd(() => relay.close());
  const behindRelay = await cluster.kubeconfigFor({ url: relay.url });
  const [leader, other] = await twoControllers(context, behindRelay);
  await begin(scene);
  await untilSucceeded(scene, PODS / 4);
  relay.cut();
  await sleep(30_000);
  relay.join();
  await endsRight(scene);
  expect(leader.log()).toContain('"message":"no longer leading"');
  expect(other.log()).toContain('"message":"leading"');
});

check("a Job completes although the API server is restarted", async (context) => {
  const scene = await setUp(context, "restarted");
  await twoControllers(context, context.cluster.kubeconfig);
  await begin(scene);
  await untilSucceeded(scene, PODS / 4);
  await context.cluster.apiServer.stop("SIGKILL");
  await sleep(2_000);
  await context.cluster.apiServer.start();
  await endsRight(scene);
});

check("a Job completes although etcd compacts its history", async (context) => {
  const { cluster } = context;
  const scene = await setUp(context, "compacted");
  await twoControllers(context, cluster.kubeconfig);
  await begin(scene);
  await untilSucceeded(scene, PODS / 4);
  await cluster.apiServer.stop("SIGKILL");
  await compact(cluster);
  await cluster.apiServer.start();
  await untilSucceeded(scene, PODS / 2);
  await compact(cluster);
  await endsRight(scene);
});

interface Scene {
  readonly client: RemoteClient;
  readonly namespace: string;
  readonly successes: () => ReadonlyMap<string, number>;
}

async function setUp({ binaries, cluster, atEnd }: ClusterTest, namespace: string): Promise<Scene> {
  const { url: server, token, ca } = cluster;
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const client = remoteClient({ server, token, ca });
  atEnd(() => client.close());
  const named = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await client.create(namespaces, named as never);
  const { successes, close } = await playInstantPods(client, namespace);
  atEnd(close);
  return { client, namespace, successes };
}

/** Starts two controllers; the first is the leader. */
async function twoControllers(
  { cluster, atEnd }: ClusterTest,
  firstKubeconfig: string,
): Promise<readonly [TallyController, TallyController]> {
  const { url: server, token, ca } = cluster;
  const client = remoteClient({ server, token, ca });
  atEnd(() => client.close());
  const first = await startTallyController(firstKubeconfig, ELECTED);
  atEnd(() => first.stop());
  const lease = { namespace: "kube-system", name: "tallyjob-controller" };
  await poll(
    async () => (await client.get(leases, lease)).spec.holderIdentity ?? "",
    SOON,
  ).not.toBe("");
  const second = await startTallyController(cluster.kubeconfig, ELECTED);
  atEnd(() => second.stop());
  return [first, second];
}

async function begin({ client, namespace }: Scene): Promise<void> {
  const container = { name: "c", image: "busybox", command: ["true"] };
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace },
    spec: {
      managedBy: MANAGED_BY,
      completionMode: "Indexed",
      completions: PODS,
      parallelism: AT_ONCE,
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  };
  await client.create(jobs, job as unknown as Job);
}

async function jobOf({ client, namespace }: Scene): Promise<Job | undefined> {
  try {
    return await client.get(jobs, { namespace, name: "j" });
  } catch {
    // The server is unavailable for a while.
    return undefined;
  }
}

async function succeeded(scene: Scene): Promise<number> {
  return (await jobOf(scene))?.status.succeeded ?? 0;
}

async function untilSucceeded(scene: Scene, count: number): Promise<void> {
  await poll(() => succeeded(scene), SOON).toBeGreaterThanOrEqual(count);
}

async function endsRight(scene: Scene): Promise<void> {
  const isComplete = (job: Job | undefined) =>
    job?.status.conditions?.some(({ type, status }) => type === "Complete" && status === "True");
  await poll(async () => isComplete(await jobOf(scene)), SOON).toBe(true);
  const { status } = (await jobOf(scene)) ?? {};
  expect(status).toMatchObject({ succeeded: PODS, completedIndexes: `0-${PODS - 1}` });
  expect(status?.failed).toBeUndefined();
  expect(status?.uncountedTerminatedPods ?? {}).toEqual({});
  const { namespace, client, successes } = scene;
  expect(successes().size).toBe(PODS);
  const { items } = await client.list(pods, { namespace });
  expect(items.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)).toEqual([]);
  expect(items.filter(({ status }) => status?.phase !== "Succeeded")).toEqual([]);
}

/** Compacts the whole history, as a client of etcd. */
async function compact({ etcd }: ControlPlane): Promise<void> {
  const post = async (path: string, body: object) =>
    (await fetch(`${etcd.url}${path}`, { method: "POST", body: JSON.stringify(body) })).json();
  const key = Buffer.from("none").toString("base64");
  const { header } = (await post("/v3/kv/range", { key })) as { header: { revision: string } };
  await post("/v3/kv/compaction", { revision: header.revision, physical: true });
}
