/**
 * A controller for one namespace, started as in a pod: with permissions only there, and a token
 * that is replaced.
 */
import { execFile } from "node:child_process";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import { jobs } from "../../src/api/resources.ts";
import { type RemoteClient, remoteClient } from "../../src/client/remote.ts";
import { call } from "../support/call-server.ts";
import { poll } from "../support/poll.ts";
import { projectFile } from "../support/project-file.ts";
import { type Component, startComponent } from "./component.ts";
import type { ControlPlane } from "./control-plane.ts";
import { playInstantPods } from "./instant-pods.ts";
import { startControllerManager } from "./kube-components.ts";
import { MANAGED_BY } from "./tally-controller.ts";
import { clusterTests } from "./with-cluster.ts";

const check = clusterTests();
const SOON = { timeout: 120_000, interval: 100 };
const TALLY = projectFile("dist/main.js");

check("only Jobs of its namespace are run, and no request is forbidden", async (context) => {
  const { binaries, cluster, atEnd } = context;
  for (const name of ["batch", "other"]) {
    await cluster.call("POST", "/api/v1/namespaces", { metadata: { name } });
  }
  const flags = ["--no-deployment", "--watch-namespace", "batch", "--kubeconfig"];
  await promisify(execFile)(process.execPath, [TALLY, "install", ...flags, cluster.kubeconfig]);
  const manager = await startControllerManager(binaries, cluster.kubeconfig);
  atEnd(() => manager.stop("SIGKILL"));
  const account = await AccountFiles.make(cluster);
  const controller = await startInPod(cluster, account.directory);
  atEnd(() => controller.stop("SIGKILL"));
  const client = remoteClient({ server: cluster.url, token: cluster.token, ca: cluster.ca });
  atEnd(() => client.close());
  for (const namespace of ["batch", "other"]) {
    const nodes = await playInstantPods(client, namespace);
    atEnd(() => nodes.close());
  }
  await client.create(jobs, aJob("other", "left-alone"));
  await client.create(jobs, aJob("batch", "first"));
  await poll(() => isComplete(client, "batch", "first"), SOON).toBe(true);

  // The kubelet replaces a token long before it expires; here the old one becomes invalid at
  // once.
  const old = await account.replaceToken();
  const asOld = { url: cluster.url, token: old };
  await poll(
    async () => (await call(asOld, "GET", "/apis/batch/v1/namespaces/batch/jobs")).status,
    SOON,
  ).toBe(401);
  await client.create(jobs, aJob("batch", "second"));
  await poll(() => isComplete(client, "batch", "second"), SOON).toBe(true);
  expect((await client.get(jobs, { namespace: "other", name: "left-alone" })).status).toEqual({});
  await controller.stop();
  expect(controller.log()).not.toContain("orbidden");
  expect(controller.log()).not.toMatch(/level=(warn|error)|"level":"(warn|error)"/);
});

/** The files that a kubelet mounts into a pod for the controller's account. */
class AccountFiles {
  private count = 0;
  private current = "";

  private constructor(
    private readonly cluster: ControlPlane,
    readonly directory: string,
  ) {}

  static async make(cluster: ControlPlane): Promise<AccountFiles> {
    const files = new AccountFiles(cluster, path.join(cluster.directory, "account"));
    await mkdir(files.directory);
    await files.write("ca.crt", cluster.ca);
    await files.write("namespace", "tally-system");
    await files.replaceToken();
    return files;
  }

  /**
   * Returns the previous token, which is now invalid: the Secret that it was bound to is deleted.
   */
  async replaceToken(): Promise<string> {
    const earlier = this.current;
    const core = "/api/v1/namespaces/tally-system";
    const name = `token-${this.count++}`;
    const made = await this.cluster.call("POST", `${core}/secrets`, { metadata: { name } });
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name, uid: made.json.metadata.uid };
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { boundObjectRef },
    };
    const account = `${core}/serviceaccounts/tallyjob-controller`;
    const answer = await this.cluster.call("POST", `${account}/token`, request);
    this.current = answer.json.status.token;
    await this.write("token", this.current);
    if (earlier !== "")
      await this.cluster.call("DELETE", `${core}/secrets/token-${this.count - 2}`);
    return earlier;
  }

  private async write(name: string, text: string): Promise<void> {
    const file = path.join(this.directory, name);
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
}

/** In its own mount namespace, so that the account is at the path where every pod has it. */
function startInPod(cluster: ControlPlane, account: string): Promise<Component> {
  const { hostname, port } = new URL(cluster.url);
  const script =
    `mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io && ` +
    `ln -s "$0" /run/secrets/kubernetes.io/serviceaccount && exec "$@"`;
  const command = ["controller", "--leader-elect", "--namespace=batch", "--health-port=0"];
  return startComponent({
    program: "unshare",
    args: ["--mount", "sh", "-c", script, account, process.execPath, TALLY, ...command],
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: "" },
    probe: async (log) => {
      if (!log.includes("Tally manages")) throw new Error("it has not begun");
    },
  });
}

function aJob(namespace: string, name: string): Job {
  const container = { name: "c", image: "busybox", command: ["true"] };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace },
    spec: {
      managedBy: MANAGED_BY,
      completionMode: "Indexed",
      completions: 5,
      parallelism: 5,
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  } as unknown as Job;
}

async function isComplete(client: RemoteClient, namespace: string, name: string) {
  const { status } = await client.get(jobs, { namespace, name });
  return (status.conditions ?? []).some(
    (each) => each.type === "Complete" && each.status === "True",
  );
}
