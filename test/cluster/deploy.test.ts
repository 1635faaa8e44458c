/** deploy/base on a real API server: every object is accepted, and its pods are restricted. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { findKubectl } from "../kubectl/find-kubectl.ts";
import { projectFile } from "../support/project-file.ts";
import { clusterTests } from "./with-cluster.ts";

const check = clusterTests();
const DEPLOYMENT = "/apis/apps/v1/namespaces/tally-system/deployments/tallyjob-controller";
const PODS = "/api/v1/namespaces/tally-system/pods?dryRun=All";

check(
  'kubectl apply -k creates every object, and its pods comply with "restricted"',
  async (context) => {
    const { cluster } = context;
    const found = await findKubectl();
    if ("missing" in found) throw new Error(found.missing);
    const apply = ["apply", "--server-side", "--kubeconfig", cluster.kubeconfig, "-k"];
    const { stdout, stderr } = await promisify(execFile)(found.path, [
      ...apply,
      projectFile("deploy/base"),
    ]);
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toHaveLength(11);
    const { metadata, spec } = (await cluster.call("GET", DEPLOYMENT)).json.spec.template;
    const pod = { metadata: { ...metadata, name: "p" }, spec };
    const made = await cluster.call("POST", PODS, pod);
    expect(made.status, made.text).toBe(201);
    // The namespace rejects pods that do not comply.
    const looser = { ...pod, spec: { ...spec, securityContext: {} } };
    const refused = await cluster.call("POST", PODS, looser);
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain('violates PodSecurity "restricted:latest"');
  },
);
