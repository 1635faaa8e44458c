/**
 * What it costs to run tasks as pods: a real `tally up` with its node, each task a process, beside
 * the tools people would use instead.
 */
import type { BenchOptions } from "./options.ts";
import { withCluster } from "./spawn-cluster.ts";
import { benchSpawnJobs } from "./spawn-jobs.ts";
import { benchSpawnRuntime } from "./spawn-runtime.ts";
import { benchSleepers, benchSpawnStarts } from "./spawn-starts.ts";

export async function benchSpawn(options: BenchOptions): Promise<void> {
  // One directory for all: where many files were just deleted, new ones cost more.
  await withCluster(async (cluster) => {
    await benchSpawnJobs(cluster, options);
    await benchSpawnStarts(cluster, options);
  });
  await withCluster((cluster) => benchSleepers(cluster, options));
  await benchSpawnRuntime(options);
}
