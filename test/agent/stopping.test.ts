/** What happens to processes when their server shuts down, or their pod is replaced. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster, lastCondition, script, stateOf, until } from "./cluster.ts";

/** Without this, a replacement would wait for ten seconds. */
const SOON = "--job-backoff-base=10ms";

let directory: string;
let cluster: Cluster;
const file = (name: string) => path.join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-stopping-"));
});
afterEach(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

test("processes left running are recovered, and exits in the meantime are reported", async () => {
  cluster = await Cluster.start({ args: ["--on-exit=leave"] });
  const wait = (name: string) => `until [ -e ${file(name)} ]; do sleep 0.05; done`;
  const ends = `echo begin; ${wait("now")}; echo end; touch ${file("ended")}; exit 7`;
  await cluster.createPod("ends", { containers: [script(ends)] });
  await cluster.createPod("lasts", {
    containers: [script(`echo begin; ${wait("later")}; echo end`)],
  });
  for (const name of ["ends", "lasts"]) await isPrinting(name, "begin");
  expect(await cluster.tally.stop()).toBe(0);
  writeFileSync(file("now"), "");
  await until(() => existsSync(file("ended")));
  await cluster.startAgain();
  expect(stateOf(await cluster.over("ends"))?.terminated).toMatchObject({ exitCode: 7 });
  expect((await cluster.findPod("lasts"))?.status.phase).toBe("Running");
  writeFileSync(file("later"), "");
  expect((await cluster.over("lasts")).status.phase).toBe("Succeeded");
  for (const name of ["ends", "lasts"]) expect(await cluster.log(name)).toBe("begin\nend\n");
});

test("terminated pods report why, and a Job that ignores disruptions continues", async () => {
  cluster = await Cluster.start({ args: [SOON] });
  const alive = `echo alive > ${file("alive")}`;
  const first = `echo first; while :; do ${alive}; sleep 0.05; done`;
  const containers = [script(`[ -e ${file("again")} ] && exit 0; ${first}`)];
  const onPodConditions = [{ type: "DisruptionTarget" }];
  const podFailurePolicy = { rules: [{ action: "Ignore", onPodConditions }] };
  const spec = { completions: 1, backoffLimit: 0, podFailurePolicy };
  await cluster.createJob("j", spec, { containers });
  await until(() => existsSync(file("alive")));
  const [before] = await cluster.podsOf("j");
  expect(await cluster.tally.stop()).toBe(0);
  rmSync(file("alive"));
  writeFileSync(file("again"), "");
  await cluster.startAgain();
  const job = await cluster.finished("j");
  expect(lastCondition(job)).toBe("Complete");
  expect(job.status).toMatchObject({ succeeded: 1, completedIndexes: "0" });
  expect(job.status.failed).toBeUndefined();
  const ended = await cluster.findPod(before?.metadata.name ?? "");
  expect(ended?.status).toMatchObject({ phase: "Failed", reason: "Terminated" });
  expect(existsSync(file("alive"))).toBe(false);
});

test("a replacement pod starts only after the process of the former pod has ended", async () => {
  cluster = await Cluster.start({ args: [SOON] });
  // Each process records that it lives. The first ignores SIGTERM and outlives its object.
  const note = (word: string) => `echo ${word} >> ${file("lives")}`;
  const first = `trap '' TERM; touch ${file("up")}; ${note("first")}`;
  const deaf = `while :; do sleep 0.05; ${note("first")}; done`;
  const second = `[ -e ${file("up")} ] && { ${note("second")}; exit 0; }`;
  const containers = [script(`${second}; ${first}; ${deaf}`)];
  await cluster.createJob(
    "j",
    { completions: 1, podReplacementPolicy: "TerminatingOrFailed" },
    {
      containers,
    },
  );
  await until(() => existsSync(file("up")));
  const [former] = await cluster.podsOf("j");
  await cluster.deletePod(former?.metadata.name ?? "", 1);
  const job = await cluster.finished("j");
  expect(lastCondition(job)).toBe("Complete");
  expect(readFileSync(file("lives"), "utf8")).toMatch(/^(first\n)+second\n$/);
  const [later] = (await cluster.podsOf("j")).filter(({ status }) => status.phase === "Succeeded");
  await until(async () => {
    const events = await cluster.eventsOf(later?.metadata.name ?? "");
    return events.some((each) => each.startsWith("WaitingForPredecessor: "));
  });
});

async function isPrinting(pod: string, text: string): Promise<void> {
  await until(async () => (await cluster.log(pod)).includes(text));
}
