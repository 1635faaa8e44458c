/** Jobs of instant pods without HTTP: controller, server and a simulated agent in one process. */
import { startInstantNode } from "./instant-node.ts";
import { withJobEngine } from "./job-engine.ts";
import type { BenchOptions } from "./options.ts";
import { type Row, table } from "./report.ts";
import { runJobs } from "./run-jobs.ts";

const BAR = 3_000;

export async function benchJobsInProcess({ isQuick }: BenchOptions): Promise<void> {
  const pods = isQuick ? 500 : 10_000;
  await throughput(isQuick ? 100 : 3_000, ["Succeeded"]);
  const rows: Row[] = [];
  for (const phases of [["Succeeded"], ["Running", "Succeeded"]]) {
    const perSecond = await throughput(pods, phases);
    rows.push({
      what: `1 x ${pods.toLocaleString("en")} pods, each ${phases.join(", then ")}`,
      value: `${Math.round(perSecond).toLocaleString("en")} pods/s`,
      beside: `bar ${BAR.toLocaleString("en")}, ratio ${(perSecond / BAR).toFixed(2)}`,
    });
  }
  table("jobs in process: a simulated agent, journal syncing", rows);
}

function throughput(completions: number, phases: readonly string[]): Promise<number> {
  return withJobEngine(async ({ client, startController, synced }) => {
    await startController();
    const node = await startInstantNode(client, { phases });
    const began = performance.now();
    await runJobs(client, [{ name: "large", completions }]);
    await synced();
    const seconds = (performance.now() - began) / 1000;
    node.stop();
    return completions / seconds;
  });
}
