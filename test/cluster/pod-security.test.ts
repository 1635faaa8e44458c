/**
 * Sends the table of test/conformance/podsecurity to a real kube-apiserver and compares its answers
 * with the recording. TALLY_RECORD=yes writes the recording instead.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import {
  PRIVILEGED_PODS,
  TABLE_PODS,
  type TablePod,
  VERSIONS,
} from "../conformance/podsecurity/pods.ts";
import {
  answerOf,
  composePod,
  type Levels,
  levelName,
  levelNamespace,
  maskLevel,
  RECORDING_FILE,
  type RecordedAnswer,
  type RecordedStep,
  type Recording,
  readRecording,
  send,
} from "../conformance/podsecurity/recording.ts";
import {
  CONFIGURATION,
  CONFIGURED_STEPS,
  STEPS,
  type Step,
} from "../conformance/podsecurity/steps.ts";
import { poll } from "../support/poll.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { Binaries } from "./find-binaries.ts";
import { binaryTests } from "./with-cluster.ts";

const check = binaryTests();

check("a real kube-apiserver answers the table as recorded", async ({ binaries }) => {
  const directory = await mkdtemp(path.join(tmpdir(), "tally-pod-security-"));
  try {
    const recorded = await record(binaries, directory);
    if (process.env["TALLY_RECORD"] === "yes") {
      await writeFile(RECORDING_FILE, `${JSON.stringify(recorded, null, 1)}\n`);
    }
    expect(recorded).toEqual(readRecording());
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

async function record(binaries: Binaries, directory: string): Promise<Recording> {
  const withServer = async <Result>(
    args: readonly string[],
    use: (cluster: ControlPlane) => Promise<Result>,
  ): Promise<Result> => {
    const cluster = await startControlPlane(binaries, { apiServerArgs: args });
    try {
      return await use(cluster);
    } finally {
      await cluster.dispose();
    }
  };
  const audit = path.join(directory, "audit.log");
  const policy = path.join(directory, "policy.yaml");
  await writeFile(policy, AUDIT_POLICY);
  const audited = [`--audit-policy-file=${policy}`, `--audit-log-path=${audit}`];
  const configuration = path.join(directory, "admission.yaml");
  await writeFile(configuration, CONFIGURATION);
  const configured = `--admission-control-config-file=${configuration}`;
  const first = await withServer(audited, async (cluster) => ({
    levels: await recordLevels(cluster, TABLE_PODS),
    steps: await recordSteps(cluster, STEPS, audit),
  }));
  await rm(audit);
  return {
    server: "kube-apiserver v1.36.4",
    versions: VERSIONS,
    pods: TABLE_PODS,
    levels: first.levels,
    privilegedPods: PRIVILEGED_PODS,
    privilegedLevels: await withServer(["--allow-privileged=true"], (cluster) =>
      recordLevels(cluster, PRIVILEGED_PODS),
    ),
    steps: first.steps,
    configuration: CONFIGURATION,
    configuredSteps: await withServer([...audited, configured], (cluster) =>
      recordSteps(cluster, CONFIGURED_STEPS, audit),
    ),
  };
}

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata }]
`;

async function recordLevels(
  cluster: ControlPlane,
  pods: { readonly [name: string]: TablePod },
): Promise<Levels> {
  const levels: { [level: string]: { [pod: string]: { [version: string]: RecordedAnswer } } } = {};
  for (const level of ["baseline", "restricted"]) {
    const last: { [pod: string]: RecordedAnswer } = {};
    const answers: (typeof levels)[string] = {};
    levels[level] = answers;
    for (const version of VERSIONS) {
      await cluster.call("POST", "/api/v1/namespaces", levelNamespace(level, version));
      const where = `/api/v1/namespaces/${levelName(level, version)}/pods?dryRun=All`;
      for (const [pod, table] of Object.entries(pods)) {
        const told = answerOf(await cluster.call("POST", where, composePod(pod, table)));
        const answer = maskLevel(told, `${level}:${version}`);
        const isNews = JSON.stringify(answer) !== JSON.stringify(last[pod]);
        if (isNews) answers[pod] = { ...answers[pod], [version]: answer };
        last[pod] = answer;
      }
    }
  }
  return levels;
}

async function recordSteps(
  cluster: ControlPlane,
  steps: readonly Step[],
  auditLog: string,
): Promise<readonly RecordedStep[]> {
  const recorded: RecordedStep[] = [];
  for (const step of steps) {
    const answer = await send(cluster, step);
    const audit = await auditOf(auditLog, String(answer.headers["audit-id"]));
    const told = Object.keys(audit).length > 0 ? { audit } : {};
    recorded.push({ ...step, answer: { ...answerOf(answer), ...told } });
  }
  return recorded;
}

async function auditOf(file: string, id: string): Promise<{ [key: string]: string }> {
  const find = async () => {
    const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line)).find(({ auditID }) => auditID === id);
  };
  await poll(find, { timeout: 30_000 }).toBeDefined();
  const annotations = (await find()).annotations as { [key: string]: string };
  const kept = Object.entries(annotations).filter(([key]) => key.startsWith("pod-security."));
  return Object.fromEntries(kept.sort());
}
