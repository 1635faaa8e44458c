/**
 * This machine as a node of a real cluster: fifty real processes, under each of the controllers.
 */
import { expect } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import { jobs, pods } from "../../src/api/resources.ts";
import { remoteClient } from "../../src/client/remote.ts";
import { poll } from "../support/poll.ts";
import { startNode } from "./agent-node.ts";
import { MANAGED_BY, startTallyController } from "./tally-controller.ts";
import { type ClusterTest, clusterTests } from "./with-cluster.ts";

const check = clusterTests();
const PROCESSES = 50;
const SOON = { timeout: 300_000, interval: 200 };

check("fifty processes run under kube-controller-manager and kube-scheduler", async (context) => {
  await startNode(context, "theirs");
  await runs(context, "theirs");
});

check("fifty processes run under tally controller and kube-scheduler", async (context) => {
  await startNode(context, "ours");
  const controller = await startTallyController(context.cluster.kubeconfig);
  context.atEnd(() => controller.stop("SIGKILL"));
  await runs(context, "ours", MANAGED_BY);
});

interface Condition {
  readonly type: string;
  readonly status: string;
}

function has(conditions: readonly Condition[] | undefined, type: string): boolean {
  return (conditions ?? []).some((each) => each.type === type && each.status === "True");
}

async function runs({ cluster, atEnd }: ClusterTest, node: string, managedBy?: string) {
  const client = remoteClient({ server: cluster.url, token: cluster.token, ca: cluster.ca });
  atEnd(() => client.close());
  const name = `j-${node}`;
  const place = { namespace: "default", name };
  await client.create(jobs, aJob(name, node, managedBy));
  await poll(
    async () => has((await client.get(jobs, place)).status.conditions, "Complete"),
    SOON,
  ).toBe(true);
  const { status } = await client.get(jobs, place);
  expect(status).toMatchObject({ succeeded: PROCESSES, completedIndexes: `0-${PROCESSES - 1}` });
  const { items } = await client.list(pods, { ...place, labelSelector: `job-name=${name}` });
  expect(items).toHaveLength(PROCESSES);
  const messages = items.map((pod) => {
    const [container] = pod.status?.containerStatuses ?? [];
    return container?.state?.terminated?.message;
  });
  const expected = Array.from({ length: PROCESSES }, (_, index) => `index ${index}`);
  expect(messages.toSorted()).toEqual(expected.toSorted());
}

/** Each process writes its index to its termination message. */
function aJob(name: string, node: string, managedBy?: string): Job {
  const message = "$" + "{TALLY_TERMINATION_LOG:-/dev/termination-log}";
  const script = `printf "index %s" "$JOB_COMPLETION_INDEX" > ${message}`;
  const container = { name: "c", image: "busybox", command: ["sh", "-c", script] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec: {
      ...(managedBy === undefined ? {} : { managedBy }),
      completionMode: "Indexed",
      completions: PROCESSES,
      parallelism: PROCESSES,
      template: {
        spec: {
          restartPolicy: "Never",
          nodeSelector: { "kubernetes.io/hostname": node },
          containers: [container],
        },
      },
    },
  } as unknown as Job;
}
