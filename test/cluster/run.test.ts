/** `tally run` and the commands for runs on a real cluster, with and without `tally controller`. */
import { execFile } from "node:child_process";
import { expect } from "vitest";
import { poll } from "../support/poll.ts";
import { projectFile } from "../support/project-file.ts";
import { startNode } from "./agent-node.ts";
import { startTallyController } from "./tally-controller.ts";
import { type ClusterTest, clusterTests } from "./with-cluster.ts";

const check = clusterTests();

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs tally as a user types it, in its own directory. */
function tally({ cluster }: ClusterTest, args: readonly string[], words: readonly string[] = []) {
  const all = [...args, "--kubeconfig", cluster.kubeconfig, ...words];
  return new Promise<Ended>((resolve) => {
    const options = { cwd: cluster.directory, timeout: 240_000 };
    execFile(process.execPath, [projectFile("dist/main.js"), ...all], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, error: err }),
    );
  });
}

/** Fails for the item "banana" until the file exists. */
const script = (flag: string) =>
  `echo "eat $ITEM as $JOB_COMPLETION_INDEX"; [ "$ITEM" != banana ] || [ -e ${flag} ]`;
const FRUITS = [":::", "apple", "banana", "it's $(cherry)"];

async function plays(context: ClusterTest, name: string, manner: readonly string[]) {
  const flag = `${context.cluster.directory}/${name}`;
  const words = ["--", "sh", "-c", script(flag), ...FRUITS];
  const run = ["run", name, "--image", "busybox", "--retries", "0", ...manner];
  const first = await tally(context, run, words);
  expect([first.code, first.error]).toEqual([
    1,
    expect.stringContaining("banana (index 1): exit 1"),
  ]);
  expect(first.out.split("\n").toSorted()).toEqual([
    "",
    "eat apple as 0",
    "eat banana as 1",
    "eat it's $(cherry) as 2",
  ]);
  expect(first.error).toContain(`tally retry ${name} --failed`);

  const waited = await tally(context, ["wait", name]);
  expect([waited.code, waited.out]).toEqual([3, `${name} failed\n`]);
  const status = await tally(context, ["status", name, "--output", "json"]);
  expect(JSON.parse(status.out)).toMatchObject({
    state: "Failed",
    total: 3,
    succeeded: 2,
    failed: 1,
    failures: [{ item: "banana", index: 1, exit: 1 }],
  });
  const logs = await tally(context, ["logs", name, "--failed"]);
  expect(logs.out).toBe("==> banana (index 1) <==\neat banana as 1\n");

  await new Promise((resolve) => execFile("touch", [flag], resolve));
  const again = await tally(context, ["retry", name]);
  expect([again.code, again.out]).toEqual([0, "eat banana as 1\n"]);
  expect((await tally(context, ["wait", name])).code).toBe(0);
  const results = await tally(context, ["results", name, "--format", "jsonl"]);
  const rows = results.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { exit: number });
  expect(rows).toMatchObject([
    { item: "apple", state: "Succeeded", attempts: 1 },
    { item: "banana", state: "Succeeded", attempts: 2, exit: 0 },
    { item: "it's $(cherry)", state: "Succeeded", attempts: 1 },
  ]);
  const list = await tally(context, ["list", "--output", "json"]);
  const runs = JSON.parse(list.out) as { readonly name: string }[];
  expect(runs.filter((each) => each.name === name)).toMatchObject([
    { phase: "Succeeded", succeeded: 3, failed: 0 },
  ]);
  return { first, status };
}

check("under Kubernetes' own controller a run behaves as on this machine", async (context) => {
  await startNode(context, "theirs");
  const { first, status } = await plays(context, "plain", []);
  expect(first.error).toContain("Kubernetes' own controller manages it");
  expect(status.error).toContain("there is no ledger of this run");
  const refused = await tally(context, ["run", "x"], ["--", "true"]);
  expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("--image")]);
  const gone = await tally(context, ["delete", "plain"]);
  expect(gone.code).toBe(0);
});

check("under tally controller too, and the ledger outlives the pods", async (context) => {
  await startNode(context, "ours");
  const { cluster, atEnd } = context;
  const controller = await startTallyController(cluster.kubeconfig, ["--leader-elect"]);
  // The controller gives up its lease: the next run must not rely on it.
  atEnd(() => controller.stop());
  const { first } = await plays(context, "managed", []);
  expect(first.error).toContain("tally controller (tallyjob.io/job-controller) manages it");
  const path = "/api/v1/namespaces/default/configmaps/managed-ledger";
  const isNoted = async () => (await cluster.call("GET", path)).status;
  await poll(isNoted, { timeout: 60_000, interval: 500 }).toBe(200);
  await cluster.call("DELETE", `/api/v1/namespaces/default/pods?labelSelector=job-name%3Dmanaged`);
  const results = await tally(context, ["results", "managed", "--format", "jsonl"]);
  expect(results.error).toBe("");
  expect(results.out.split("\n").filter((line) => line.includes('"exit"')).length).toBeGreaterThan(
    0,
  );
});

check("a run of JSON lines exits with 0 if everything succeeds", async (context) => {
  await startNode(context, "events");
  const run = ["run", "events", "--image", "busybox", "--output", "json", "-q"];
  const { code, out } = await tally(context, run, ["--", "echo", "{}", ":::", "a", "b"]);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: "summary", succeeded: 2, failed: 0, exitCode: 0 });
  const items = events.filter(({ type }) => type === "item");
  expect(items.map((item) => (item as unknown as { stdout: string }).stdout).toSorted()).toEqual([
    "a\n",
    "b\n",
  ]);
});

check("a retry keeps attempts that tally controller has not recorded", async (context) => {
  await startNode(context, "unnoted");
  const { cluster, atEnd } = context;
  const killed = await startTallyController(cluster.kubeconfig);
  const flag = `${cluster.directory}/unnoted-flag`;
  const run = ["run", "unnoted", "--image", "busybox", "--retries", "0", ...OURS];
  const first = await tally(context, run, ["--", "sh", "-c", script(flag), ...FRUITS]);
  await killed.stop("SIGKILL");
  expect(first.code).toBe(1);
  await new Promise((resolve) => execFile("touch", [flag], resolve));
  expect((await tally(context, ["retry", "unnoted", "--detach"])).code).toBe(0);
  const next = await startTallyController(cluster.kubeconfig);
  atEnd(() => next.stop());
  expect((await tally(context, ["wait", "unnoted"])).code).toBe(0);
  const { out } = await tally(context, ["results", "unnoted", "--format", "jsonl"]);
  const rows = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(rows).toMatchObject([
    { item: "apple", state: "Succeeded", attempts: 1, exit: 0 },
    { item: "banana", state: "Succeeded", attempts: 2, exit: 0 },
    { item: "it's $(cherry)", state: "Succeeded", attempts: 1, exit: 0 },
  ]);
});

const OURS = ["--managed-by", "tallyjob.io/job-controller"];
const THEIRS = ["--managed-by", "kubernetes.io/job-controller"];

async function failsTwice(context: ClusterTest, name: string, manager: readonly string[]) {
  await startNode(context, name);
  const run = ["run", name, "--image", "busybox", "--retries", "1", ...manager];
  const words = ["--", "sh", "-c", "exit 3", ":::", "a", "b", "c", "d"];
  const { code, error } = await tally(context, run, words);
  expect(code).toBe(1);
  const path = `/api/v1/namespaces/default/pods?labelSelector=job-name%3D${name}`;
  const { items } = (await context.cluster.call("GET", path)).json as { items: TriedPod[] };
  const last = items.filter(({ metadata }) => metadata.annotations[FAILURE_COUNT] === "1");
  const lines = error.split("\n").filter((line) => line.includes("run again with"));
  expect(
    lines.map((line) => /attempt \d of \d, log pod\/\S+\b/.exec(line)?.[0]).toSorted(),
  ).toEqual(last.map(({ metadata }) => `attempt 2 of 2, log pod/${metadata.name}`).toSorted());
  expect(last).toHaveLength(4);
}

const FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";

interface TriedPod {
  readonly metadata: {
    readonly name: string;
    readonly annotations: { readonly [name: string]: string };
  };
}

check(
  "under Kubernetes' own controller the last attempt of a failure is reported",
  async (context) => {
    await failsTwice(context, "tries-theirs", THEIRS);
  },
);

check("under tally controller the last attempt of a failure is reported", async (context) => {
  const controller = await startTallyController(context.cluster.kubeconfig);
  context.atEnd(() => controller.stop());
  await failsTwice(context, "tries-ours", OURS);
});
