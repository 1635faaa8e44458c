/**
 * The transcript of KEP-4017, "Were upgrade and rollback tested?": the controllers set labels when
 * they create a pod, according to the feature gate at that time, and never change them afterwards.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FoundKubectl, findKubectl } from "../kubectl/find-kubectl.ts";
import { follow, refuseUnlistedSkip } from "../kubectl/prompt.ts";
import { Cluster, until } from "./cluster.ts";

const CONTAINER = { name: "c", image: "busybox", command: ["sleep", "3600"] };

const SET = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "example-statefulset" },
  spec: {
    serviceName: "example",
    replicas: 3,
    selector: { matchLabels: { app: "example" } },
    template: { metadata: { labels: { app: "example" } }, spec: { containers: [CONTAINER] } },
  },
};

const JOB = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "sample-indexed-job" },
  spec: {
    completions: 3,
    parallelism: 3,
    completionMode: "Indexed",
    template: { spec: { restartPolicy: "Never", containers: [CONTAINER] } },
  },
};

const LEAVE = "--on-exit=leave";

let home: string;
let found: FoundKubectl;
let cluster: Cluster;
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "tally-index-label-"));
  found = await findKubectl();
  if ("missing" in found) await refuseUnlistedSkip(found.missing);
  cluster = await Cluster.start({ args: [LEAVE] });
});
afterAll(async () => {
  await kubectl("delete statefulset,job --all --cascade=foreground");
  await cluster.dispose();
  rmSync(home, { recursive: true, force: true });
});

async function kubectl(command: string, stdin?: object): Promise<string> {
  if ("missing" in found) return "";
  const { tally } = cluster;
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: tally.kubeconfig };
  const { code, stdout, stderr } = await follow(found.path, command.split(" "), env, stdin).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/**
 * The lines of "kubectl get pods -oyaml" that grep would print, with random suffixes replaced by X.
 */
async function shown(pattern: RegExp): Promise<readonly string[]> {
  const lines = (await kubectl("get pods -oyaml")).split("\n");
  return lines
    .filter((line) => pattern.test(line))
    .map((line) => line.replace(/-[a-z0-9]{5}$/, "-X"));
}

async function create(): Promise<void> {
  await kubectl("create -f -", SET);
  await kubectl("create -f -", JOB);
  await until(
    async () =>
      (await kubectl("get pods --field-selector=status.phase=Running -o name")).split("\n")
        .length === 7,
  );
}

async function recreate(): Promise<void> {
  await kubectl("delete statefulset,job --all --cascade=foreground");
  await create();
}

async function restart(...args: readonly string[]): Promise<void> {
  expect(await cluster.tally.stop()).toBe(0);
  await cluster.startAgain([LEAVE, ...args]);
}

const SET_PATTERN = / {4}name: example-statefulset-|pod-index/;
const JOB_PATTERN = / {4}name: sample-indexed-job-[0-9]|job-completion-index/;

const setLines = (isLabelled: boolean) =>
  [0, 1, 2].flatMap((index) => [
    ...(isLabelled ? [`      apps.kubernetes.io/pod-index: "${index}"`] : []),
    `    name: example-statefulset-${index}`,
  ]);

/** The index as annotation, as label, and as the source of the environment variable. */
const jobLines = (isLabelled: boolean) =>
  [0, 1, 2].flatMap((index) => [
    ...new Array(isLabelled ? 2 : 1).fill(
      `      batch.kubernetes.io/job-completion-index: "${index}"`,
    ),
    `    name: sample-indexed-job-${index}-X`,
    `            fieldPath: metadata.${isLabelled ? "labels" : "annotations"}` +
      "['batch.kubernetes.io/job-completion-index']",
  ]);

async function expectLabels(isLabelled: boolean): Promise<void> {
  expect(await shown(SET_PATTERN)).toEqual(setLines(isLabelled));
  expect(await shown(JOB_PATTERN)).toEqual(jobLines(isLabelled));
}

test("existing labels do not change when the gate is switched off or on", async (context) => {
  if ("missing" in found) return context.skip(`no kubectl: ${found.missing}`);
  await create();
  await expectLabels(true);
  await restart("--feature-gates=PodIndexLabel=false");
  await expectLabels(true);
  await recreate();
  await expectLabels(false);
  await restart("--feature-gates=:PodIndexLabel=true");
  await expectLabels(false);
  await recreate();
  await expectLabels(true);
});
