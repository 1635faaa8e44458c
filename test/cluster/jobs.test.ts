/** The recorded scenarios of Jobs on a real API server, with our controller instead of its own. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { jobs, pods } from "../../src/api/resources.ts";
import { remoteClient } from "../../src/client/remote.ts";
import { poll } from "../support/poll.ts";
import { playInstantPods } from "./instant-pods.ts";
import { startControllerManager } from "./kube-components.ts";
import { playJobs } from "./scenarios.ts";
import { MANAGED_BY, startTallyController } from "./tally-controller.ts";
import { clusterTests } from "./with-cluster.ts";

const check = clusterTests();

check("Jobs with our managedBy match the recordings under tally controller", async (context) => {
  const { binaries, cluster, atEnd } = context;
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const tally = await startTallyController(cluster.kubeconfig, ["--kube-api-qps", "0"]);
  atEnd(() => tally.stop("SIGKILL"));
  const patchJob = path.join(cluster.directory, "managed-by.json");
  await writeFile(patchJob, JSON.stringify({ spec: { managedBy: MANAGED_BY } }));
  const { passed, failures, total } = await playJobs({ ...cluster, patchJob });
  expect(failures, failures.join("\n")).toEqual([]);
  expect(passed).toBe(total);
});

check("each of two controllers manages only its own Jobs", async (context) => {
  const { binaries, cluster, atEnd } = context;
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const tally = await startTallyController(cluster.kubeconfig);
  atEnd(() => tally.stop("SIGKILL"));
  const client = remoteClient({ server: cluster.url, token: cluster.token, ca: cluster.ca });
  atEnd(() => client.close());
  const nodes = await playInstantPods(client, "default");
  atEnd(() => nodes.close());
  await client.create(jobs, aJob("theirs", {}));
  await client.create(jobs, aJob("ours", { managedBy: MANAGED_BY }));
  for (const [name, writer] of [
    ["theirs", "kube-controller-manager"],
    ["ours", "tally-controller"],
  ] as const) {
    const read = () => client.get(jobs, { namespace: "default", name });
    await poll(async () => (await read()).status.succeeded, SOON).toBe(20);
    expect(writersOf(await read(), "status")).toEqual([writer]);
    const labelSelector = `job-name=${name}`;
    const { items } = await client.list(pods, { namespace: "default", labelSelector });
    expect(items).toHaveLength(20);
    for (const pod of items) expect(writersOf(pod)).toEqual([writer]);
  }
});

const SOON = { timeout: 120_000, interval: 100 };

/** The field managers of an object or of one of its subresources. */
function writersOf({ metadata }: KubeObject, subresource = ""): readonly string[] {
  const entries = (metadata.managedFields ?? []).filter(
    (entry) => (entry.subresource ?? "") === subresource,
  );
  return [...new Set(entries.map(({ manager }) => manager ?? ""))];
}

function aJob(name: string, spec: object): Job {
  const container = { name: "c", image: "busybox", command: ["true"] };
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec: { completionMode: "Indexed", completions: 20, parallelism: 10, template, ...spec },
  } as unknown as Job;
}
