/**
 * A real cluster that runs pods: with its own controllers and scheduler, and this machine as a
 * node.
 */
import { projectFile } from "../support/project-file.ts";
import { startComponent } from "./component.ts";
import { NODE_CLIENTS } from "./control-plane.ts";
import { startControllerManager, startScheduler } from "./kube-components.ts";
import type { ClusterTest } from "./with-cluster.ts";

export async function startNode(context: ClusterTest, name: string): Promise<void> {
  const { binaries, cluster, atEnd } = context;
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const scheduler = await startScheduler(binaries, cluster.kubeconfig);
  atEnd(() => scheduler.stop("SIGKILL"));
  const place = ["--node-name", name, "--data", `${cluster.directory}/${name}`, "--port", "0"];
  const clients = ["--client-ca-file", `${cluster.directory}/${NODE_CLIENTS}`];
  const agent = await startComponent({
    program: process.execPath,
    args: [
      projectFile("dist/main.js"),
      "agent",
      "--kubeconfig",
      cluster.kubeconfig,
      ...place,
      ...clients,
    ],
    probe: async () => {
      const { status, json } = await cluster.call("GET", `/api/v1/nodes/${name}`);
      if (status !== 200 || !isReady(json)) throw new Error("the node is not ready");
    },
  });
  atEnd(async () => {
    await agent.stop();
    // Otherwise the Node would get pods of the next test.
    await cluster.call("DELETE", `/api/v1/nodes/${name}`);
  });
}

function isReady(node: { readonly status: { readonly conditions?: readonly Condition[] } }) {
  return (node.status.conditions ?? []).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
