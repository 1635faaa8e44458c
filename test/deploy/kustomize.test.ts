/**
 * "kubectl apply -k" creates the same objects as "tally install", and a server accepts all of them.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Installed } from "../../src/cli/install-manifests.ts";
import { kubectlTests, type Prompt } from "../kubectl/prompt.ts";
import { projectFile } from "../support/project-file.ts";

const check = kubectlTests();
const TALLY = projectFile("dist/main.js");

const objectsOf = (text: string): readonly Installed[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Installed)
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));

const nameOf = ({ kind, metadata }: Installed) =>
  `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;

async function kustomized(prompt: Prompt, folder: string): Promise<readonly Installed[]> {
  return objectsOf(await prompt.prints(["kustomize", projectFile(folder)]));
}

async function installed(...flags: readonly string[]): Promise<readonly Installed[]> {
  const args = [TALLY, "install", "--dry-run", "--image", "tallyjob", ...flags];
  return objectsOf((await promisify(execFile)(process.execPath, args)).stdout);
}

check("deploy/base equals what tally install creates", async (prompt) => {
  const objects = await kustomized(prompt, "deploy/base");
  expect(objects).toEqual(await installed());
});

check("deploy/one-namespace equals what it creates for one namespace", async (prompt) => {
  const objects = await kustomized(prompt, "deploy/one-namespace");
  expect(objects).toEqual(await installed("--watch-namespace", "batch"));
  expect(objects.map(({ kind }) => kind)).not.toContain("ClusterRole");
});

check("a server accepts every object, and applying again changes nothing", async (prompt) => {
  const namespace = ["--namespace", "tally-system"];
  const apply = [...namespace, "apply", "--server-side", "-k", projectFile("deploy/base")];
  const { code, stdout, stderr } = await prompt.kubectl(apply);
  expect(code, stderr).toBe(0);
  expect(stdout.trim().split("\n")).toHaveLength(11);
  const deployment = "/apis/apps/v1/namespaces/tally-system/deployments/tallyjob-controller";
  const before = (await prompt.tally.call("GET", deployment)).json;
  expect(before.spec.replicas).toBe(2);
  const again = await prompt.kubectl(apply);
  expect(again.code, again.stderr).toBe(0);
  const after = (await prompt.tally.call("GET", deployment)).json;
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});
