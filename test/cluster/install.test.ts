/** Installed on a real cluster, the controllers work with the permissions that they are given. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import { jobs, leases } from "../../src/api/resources.ts";
import { remoteClient } from "../../src/client/remote.ts";
import { poll } from "../support/poll.ts";
import { projectFile } from "../support/project-file.ts";
import type { ControlPlane } from "./control-plane.ts";
import { playInstantPods } from "./instant-pods.ts";
import { startControllerManager } from "./kube-components.ts";
import { MANAGED_BY, startTallyController } from "./tally-controller.ts";
import { clusterTests } from "./with-cluster.ts";

const check = clusterTests();
const SOON = { timeout: 120_000, interval: 100 };

async function tally(cluster: ControlPlane, ...args: readonly string[]): Promise<string> {
  const [command = "", ...rest] = args;
  const all = [projectFile("dist/main.js"), command, "--kubeconfig", cluster.kubeconfig, ...rest];
  return (await promisify(execFile)(process.execPath, all)).stdout;
}

check("an installation can be applied again without a change, and uninstalled", async (context) => {
  const { cluster } = context;
  const first = await tally(cluster, "install", "--image", "tallyjob:test", "--allow-secrets");
  expect(first.trim().split("\n")).toHaveLength(13);
  expect(await tally(cluster, "install", "--image", "tallyjob:test")).toContain(
    "deployment/tallyjob-controller applied",
  );
  const where = "/apis/apps/v1/namespaces/tally-system/deployments/tallyjob-controller";
  const { json: deployment } = await cluster.call("GET", where);
  expect(deployment.spec.replicas).toBe(2);
  expect(deployment.spec.template.spec.containers[0].image).toBe("tallyjob:test");
  const gone = await tally(cluster, "uninstall", "--crds");
  expect(gone).toContain("customresourcedefinition/workflows.tallyjob.io deleted");
  expect((await cluster.call("GET", where)).status).toBe(404);
});

check("the installed permissions are sufficient for Jobs and Workflows", async (context) => {
  const { binaries, cluster, atEnd } = context;
  await tally(cluster, "install", "--no-deployment", "--namespace", "own");
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const kubeconfig = await cluster.kubeconfigFor({ token: await accountToken(cluster, "own") });
  const lease = ["--leader-elect", "--leader-elect-resource-namespace", "own"];
  const controller = await startTallyController(kubeconfig, lease);
  atEnd(() => controller.stop("SIGKILL"));
  const client = remoteClient({ server: cluster.url, token: cluster.token, ca: cluster.ca });
  atEnd(() => client.close());
  const nodes = await playInstantPods(client, "default");
  atEnd(() => nodes.close());
  await client.create(jobs, aJob("plain"));
  const step = (name: string, dependsOn: readonly string[]) => ({
    name,
    dependsOn,
    template: { spec: aJob(name).spec },
  });
  const workflow = {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "Workflow",
    metadata: { name: "w" },
    spec: { jobs: [step("one", []), step("two", ["one"])] },
  };
  const where = "/apis/tallyjob.io/v1alpha1/namespaces/default/workflows";
  const made = await cluster.call("POST", where, workflow);
  expect(made.status, made.text).toBe(201);
  await poll(async () => isComplete(await findJob("plain")), SOON).toBe(true);
  await poll(async () => (await cluster.call("GET", `${where}/w`)).json.status?.phase, SOON).toBe(
    "Complete",
  );
  const place = { namespace: "own", name: "tallyjob-controller" };
  const { holderIdentity = "" } = (await client.get(leases, place)).spec;
  await controller.stop();
  expect(holderIdentity).not.toBe("");
  expect((await client.get(leases, place)).spec.holderIdentity ?? "").toBe("");
  expect(controller.log()).not.toContain("orbidden");

  async function findJob(name: string): Promise<Job> {
    return client.get(jobs, { namespace: "default", name });
  }
});

async function accountToken(cluster: ControlPlane, namespace: string): Promise<string> {
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/tallyjob-controller`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  return (await cluster.call("POST", `${account}/token`, request)).json.status.token;
}

function aJob(name: string): Job {
  const container = { name: "c", image: "busybox", command: ["true"] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec: {
      managedBy: MANAGED_BY,
      completionMode: "Indexed",
      completions: 5,
      parallelism: 5,
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  } as unknown as Job;
}

function isComplete({ status }: Job): boolean {
  return (status.conditions ?? []).some(
    (each) => each.type === "Complete" && each.status === "True",
  );
}
