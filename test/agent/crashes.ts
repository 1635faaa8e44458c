/** A Job of short and long tasks that is crashed into time and again, and what must be true. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { Cluster, lastCondition, script, until } from "./cluster.ts";

export interface CrashPlan {
  readonly tasks: number;
  readonly parallelism: number;
  readonly kills: number;
  readonly victim: "server" | "spawner";
}

export async function surviveCrashes(plan: CrashPlan): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "tally-crashes-"));
  const cluster = await Cluster.start();
  try {
    const { tasks: completions, parallelism } = plan;
    const spec = { completions, parallelism, backoffLimit: 0 };
    await cluster.createJob("j", spec, { containers: [script(taskIn(directory))] });
    for (let kill = 1; kill <= plan.kills; kill++) {
      await progress(cluster, Math.floor((kill * completions) / (plan.kills + 1)));
      if (plan.victim === "server") await cluster.crash();
      else await crashSpawner(cluster);
    }
    const job = await cluster.finished("j");
    expect(lastCondition(job)).toBe("Complete");
    expect(job.status.succeeded).toBe(completions);
    expect(job.status.completedIndexes).toBe(`0-${completions - 1}`);
    expectOneAtATime(directory, plan);
    await expectWholeLogs(cluster, completions);
  } finally {
    await cluster.tally.stop();
    await cluster.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Every tenth is long: it outlives a crash and what follows. Each notes when it lives. */
function taskIn(directory: string): string {
  const own = `${directory}/$JOB_COMPLETION_INDEX`;
  const work = 'case $JOB_COMPLETION_INDEX in *0) sleep 2;; *) sleep 0.1;; esac; echo "half way"';
  return `echo start >> ${own}; echo begin; ${work}; echo end >> ${own}; echo done`;
}

async function progress(cluster: Cluster, succeeded: number): Promise<void> {
  await until(async () => {
    const { status } = await cluster.findJob("j");
    return (status.succeeded ?? 0) >= succeeded || lastCondition({ status } as never) === "Failed";
  });
}

async function crashSpawner(cluster: Cluster): Promise<void> {
  const before = cluster.spawner();
  if (before === undefined) throw new Error("there is no spawner");
  process.kill(before, "SIGKILL");
  await until(() => ![undefined, before].includes(cluster.spawner()));
}

/** A run that began before the former one of its index was over would have noted it. */
function expectOneAtATime(directory: string, { tasks, kills, parallelism }: CrashPlan): void {
  let runs = 0;
  for (let index = 0; index < tasks; index++) {
    const notes = readFileSync(path.join(directory, `${index}`), "utf8");
    expect(notes, `the life of task ${index}`).toMatch(/^(start\nend\n)+$/);
    runs += notes.split("end").length - 1;
  }
  expect(runs).toBeGreaterThanOrEqual(tasks);
  expect(runs - tasks).toBeLessThanOrEqual(kills * parallelism);
}

async function expectWholeLogs(cluster: Cluster, tasks: number): Promise<void> {
  const pods = await cluster.podsOf("j");
  expect(pods).toHaveLength(tasks);
  for (const { metadata } of pods) {
    expect(await cluster.log(metadata.name ?? "")).toBe("begin\nhalf way\ndone\n");
  }
}
