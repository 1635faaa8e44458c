/** A Job of short and long tasks whose server or spawner is killed repeatedly, and its checks. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { Cluster, lastCondition, script, until } from "./cluster.ts";

export interface CrashPlan {
  readonly tasks: number;
  readonly parallelism: number;
  readonly kills: number;
  readonly victim: "server" | "spawner" | "both";
  /** Arguments of "tally up". */
  readonly args?: readonly string[];
}

export async function surviveCrashes(plan: CrashPlan): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "tally-crashes-"));
  const cluster = await Cluster.start({ args: plan.args ?? [] });
  try {
    const { tasks: completions, parallelism } = plan;
    const spec = { completions, parallelism, backoffLimit: 0 };
    await cluster.createJob("j", spec, { containers: [script(taskIn(directory))] });
    const inFlight: number[] = [];
    for (let kill = 1; kill <= plan.kills; kill++) {
      await progress(cluster, Math.floor((kill * completions) / (plan.kills + 1)));
      const spawner = cluster.spawner();
      if (plan.victim !== "server") killSpawner(spawner);
      if (plan.victim !== "spawner") await cluster.tally.kill();
      inFlight.push(...livesOf(directory, plan).flatMap(isUnfinished));
      if (plan.victim !== "spawner") await cluster.startAgain();
      if (plan.victim !== "server") await until(() => isAnother(cluster.spawner(), spawner));
    }
    const job = await cluster.finished("j");
    expect(lastCondition(job), await failuresOf(cluster)).toBe("Complete");
    expect(job.status.succeeded).toBe(completions);
    expect(job.status.completedIndexes).toBe(`0-${completions - 1}`);
    expectOneAtATime(livesOf(directory, plan), inFlight);
    await expectWholeLogs(cluster, completions);
  } finally {
    await cluster.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Every tenth task is long enough to outlive a crash and the restart. Each records start and end.
 */
function taskIn(directory: string): string {
  const own = `${directory}/$JOB_COMPLETION_INDEX`;
  const work = 'case $JOB_COMPLETION_INDEX in *0) sleep 2;; *) sleep 0.1;; esac; echo "half way"';
  return `echo start >> ${own}; echo begin; ${work}; echo end >> ${own}; echo done`;
}

async function progress(cluster: Cluster, succeeded: number): Promise<void> {
  await until(async () => {
    const job = await cluster.findJob("j");
    return (job.status.succeeded ?? 0) >= succeeded || lastCondition(job) === "Failed";
  });
}

function killSpawner(spawner: number | undefined): void {
  if (spawner === undefined) throw new Error("there is no spawner");
  process.kill(spawner, "SIGKILL");
}

function isAnother(spawner: number | undefined, before: number | undefined): boolean {
  return spawner !== undefined && spawner !== before;
}

/** By index: what its runs have recorded so far. */
function livesOf(directory: string, { tasks }: CrashPlan): readonly string[] {
  return Array.from({ length: tasks }, (_, index) => {
    const file = path.join(directory, `${index}`);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  });
}

/** Returns the index if its task has started and not ended. */
function isUnfinished(life: string, index: number): readonly number[] {
  return life.endsWith("start\n") ? [index] : [];
}

/** If a run started before the previous run of its index had ended, the record would show it. */
function expectOneAtATime(lives: readonly string[], inFlight: readonly number[]): void {
  for (const [index, life] of lives.entries()) {
    expect(life, `the life of task ${index}`).toMatch(/^(start\nend\n)+$/);
    const runs = life.split("end").length - 1;
    const crashes = inFlight.filter((each) => each === index).length;
    expect(runs - 1, `the re-runs of task ${index}`).toBeLessThanOrEqual(crashes);
  }
  const reruns = lives.join("").split("end").length - 1 - lives.length;
  process.stdout.write(`${inFlight.length} tasks in flight at crashes, ${reruns} re-runs\n`);
}

/** How each failed pod ended, for the failure message of the test. */
async function failuresOf(cluster: Cluster): Promise<string> {
  const failed = (await cluster.podsOf("j")).filter(({ status }) => status?.phase === "Failed");
  return JSON.stringify(failed.map(({ metadata, status }) => [metadata.name, status]));
}

async function expectWholeLogs(cluster: Cluster, tasks: number): Promise<void> {
  const pods = await cluster.podsOf("j");
  expect(pods).toHaveLength(tasks);
  const logs = await Promise.all(pods.map(({ metadata }) => cluster.log(metadata.name ?? "")));
  expect(new Set(logs)).toEqual(new Set(["begin\nhalf way\ndone\n"]));
}
