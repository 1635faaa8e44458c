/**
 * The cost of running tasks as pods: a real `tally up` with its node, each task a process, compared
 * with the tools that people would use instead.
 */
import type { BenchOptions } from "./options.ts";
import { withCluster } from "./spawn-cluster.ts";
import { benchSpawnJobs } from "./spawn-jobs.ts";
import { benchSpawnRuntime } from "./spawn-runtime.ts";
import { benchSleepers, benchSpawnStarts } from "./spawn-starts.ts";

export async function benchSpawn(options: BenchOptions): Promise<void> {
  // All share one directory: on a disk from which many files were just deleted, new ones cost more.
  await withCluster(async (cluster) => {
    await benchSpawnJobs(cluster, options);
    await benchSpawnStarts(cluster, options);
  });
  await withCluster((cluster) => benchSleepers(cluster, options));
  await benchSpawnRuntime(options);
}
