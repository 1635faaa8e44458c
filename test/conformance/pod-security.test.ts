/**
 * Replays pods, workloads and namespaces under Pod Security, and compares the answers with those of
 * a real kube-apiserver: status, message, details, Warning headers and audit annotations.
 * test/cluster/pod-security.test.ts recorded them.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { decidePod } from "../../src/server/podsecurity/decide.ts";
import { KUBERNETES_CHECKS, newEvaluator } from "../../src/server/podsecurity/evaluate.ts";
import { policyOf, readPolicy } from "../../src/server/podsecurity/policy.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { poll } from "../support/poll.ts";
import { startTally } from "../support/tally.ts";
import {
  answerOf,
  composePod,
  type Levels,
  levelName,
  levelNamespace,
  type RecordedAnswer,
  type RecordedStep,
  readRecording,
  send,
  unmaskLevel,
} from "./podsecurity/recording.ts";

const recording = readRecording();
const CASES = ["baseline", "restricted"].flatMap((level) =>
  recording.versions.map((version) => ({ level, version })),
);

test.each(CASES)("pods in a namespace of $level:$version are answered as recorded", (asked) => {
  const server = aServer();
  ask(server, "POST", "/api/v1/namespaces", levelNamespace(asked.level, asked.version));
  const where = `/api/v1/namespaces/${levelName(asked.level, asked.version)}/pods?dryRun=All`;
  const names = Object.keys(recording.pods);
  const answers = Object.entries(recording.pods).map(([name, pod]) => {
    const { status, text, warnings } = ask(server, "POST", where, composePod(name, pod));
    const { message, reason, details } = status < 400 ? {} : JSON.parse(text);
    const refusal = status < 400 ? {} : { message, reason, details };
    return { name, status, ...refusal, ...(warnings.length > 0 ? { warnings } : {}) };
  });
  const expected = names.map((name) => ({ name, ...recorded(recording.levels, name, asked) }));
  expect(answers).toEqual(expected);
});

test.each(CASES)("privileged pods violate $level:$version as recorded", (asked) => {
  const evaluate = newEvaluator(KUBERNETES_CHECKS);
  const { labels } = (
    levelNamespace(asked.level, asked.version) as { metadata: { labels: { [k: string]: string } } }
  ).metadata;
  const read = readPolicy(labels, policyOf("privileged"));
  for (const [name, { spec }] of Object.entries(recording.privilegedPods)) {
    const pod = { spec: spec as never };
    const { refusal } = decidePod(evaluate, read, { pod, isEnforced: true });
    const message = refusal && `pods "${name}" is forbidden: ${refusal}`;
    expect(message).toBe(recorded(recording.privilegedLevels, name, asked).message);
  }
});

/** The recorded answer of the newest version that is not newer than the requested one. */
function recorded(
  levels: Levels,
  name: string,
  { level, version }: (typeof CASES)[number],
): RecordedAnswer {
  const answers = levels[level]?.[name] ?? {};
  const until = recording.versions.slice(0, recording.versions.indexOf(version) + 1);
  const found = until.flatMap((each) => answers[each] ?? []).at(-1);
  if (!found) throw new Error(`nothing is recorded of ${name}`);
  return unmaskLevel(found, `${level}:${version}`);
}

test("namespaces, workloads and changes of pods are answered as recorded", async () => {
  await replay(recording.steps, []);
});

test("defaults and exemptions of a configuration file are answered as recorded", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "tally-test-"));
  const file = path.join(directory, "admission.yaml");
  await writeFile(file, recording.configuration);
  try {
    await replay(recording.configuredSteps, [`--admission-control-config-file=${file}`]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

async function replay(steps: readonly RecordedStep[], args: readonly string[]): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "tally-test-"));
  const log = path.join(directory, "audit.log");
  const tally = await startTally({ args: ["--controllers=none", `--audit-log=${log}`, ...args] });
  try {
    const audited: (RecordedAnswer["audit"] | undefined)[] = [];
    for (const { answer, ...step } of steps) {
      const { audit, ...expected } = answer;
      const told = answerOf(await send(tally, step));
      expect({ step, ...told }).toEqual({ step, ...expected });
      audited.push(audit);
    }
    // Reads, and requests of other clients, do not belong to the steps.
    const isStep = ({ verb }: { verb: string }) => verb === "create" || verb === "patch";
    const events = async () => (await readEvents(log)).filter(isStep);
    await poll(async () => (await events()).length).toBe(steps.length);
    expect((await events()).map(podSecurityAnnotations)).toEqual(audited);
  } finally {
    await tally.dispose();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Event {
  readonly verb: string;
  readonly annotations: { readonly [key: string]: string };
}

async function readEvents(file: string): Promise<Event[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

function podSecurityAnnotations({ annotations }: Event): RecordedAnswer["audit"] {
  const kept = Object.entries(annotations).filter(([key]) => key.startsWith("pod-security."));
  return kept.length > 0 ? Object.fromEntries(kept.sort()) : undefined;
}
