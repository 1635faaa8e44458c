/** Many pods at once, and one that prints as fast as it can: what that costs the server. */
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";
import { follow } from "../agent/followed.ts";
import { memoryOf } from "../agent/server-memory.ts";

const GIGABYTE = 1_000_000_000;

test("a thousand pods run at once in less than a gigabyte of the server's memory", async () => {
  const cluster = await Cluster.start();
  try {
    const fromMs = performance.now();
    const spec = { completions: 1000, parallelism: 1000 };
    const containers = [script("exec sleep 3600")];
    await cluster.createJob("many", spec, { containers });
    await until(async () => (await cluster.findJob("many")).status.ready === 1000);
    const seconds = ((performance.now() - fromMs) / 1000).toFixed(1);
    const server = memoryOf(cluster.tally.process.pid);
    const spawner = memoryOf(cluster.spawner());
    say(`1,000 pods run after ${seconds} s; server ${server.mostMb} MB at most,`);
    say(`${server.nowMb} MB now; spawner ${spawner.nowMb} MB`);
    expect(server.mostMb).toBeLessThan(1000);
    await cluster.patchJob("many", { spec: { suspend: true } });
    await until(async () => (await cluster.podsOf("many")).length === 0);
    expect((await cluster.findJob("many")).status.active).toBeUndefined();
  } finally {
    await cluster.dispose();
  }
});

test.each([
  { limit: "0", kept: GIGABYTE },
  { limit: "10Mi", kept: 10 * 1024 * 1024 },
])(
  "a gigabyte of output neither slows other pods nor fills memory, with a limit of $limit",
  async ({ limit, kept }) => {
    const cluster = await Cluster.start({ args: [`--log-max-bytes=${limit}`] });
    try {
      const quiet = await latencies(cluster, "quiet");
      const before = memoryOf(cluster.tally.process.pid);
      const print = `yes 0123456789 | head -c ${GIGABYTE}`;
      await cluster.createPod("loud", { containers: [script(`echo up; ${print}`)] });
      await until(async () => (await cluster.log("loud", "limitBytes=2")) === "up");
      const lazy = await follow(cluster.tally, "loud");
      lazy.pause();
      const loud = await latencies(cluster, "loud");
      expect((await cluster.findPod("loud"))?.status.phase, "it still prints").toBe("Running");
      const pod = await cluster.over("loud");
      lazy.close();
      const after = memoryOf(cluster.tally.process.pid);
      say(`limit ${limit}: a pod takes ${quiet} ms alone, ${loud} ms beside the loud one;`);
      say(`server ${before.mostMb} MB before, ${after.mostMb} MB at most after`);
      expect(statSync(cluster.logFile(pod)).size).toBe(limit === "0" ? kept + "up\n".length : kept);
      expect(after.mostMb - before.mostMb).toBeLessThan(150);
      expect(loud).toBeLessThan(10 * quiet + 500);
    } finally {
      await cluster.dispose();
    }
  },
);

/** The median time in milliseconds from the creation of a pod to its end, one pod at a time. */
async function latencies(cluster: Cluster, prefix: string): Promise<number> {
  const all: number[] = [];
  for (let number = 0; number < 15; number++) {
    const name = `${prefix}-${number}`;
    const fromMs = performance.now();
    await cluster.createPod(name, { containers: [script("true")] });
    await cluster.over(name);
    all.push(performance.now() - fromMs);
  }
  return Math.round(all.sort((one, other) => one - other)[7] ?? 0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
