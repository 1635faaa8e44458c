/**
 * What Jobs cost, beside a real cluster (kube-apiserver, etcd without fsync and
 * kube-controller-manager without rate limits on a machine of the same size) and beside the figures
 * of the designs that Jobs come from.
 */
import { benchJobGrowth } from "./job-growth.ts";
import { benchJobsInProcess } from "./jobs-in-process.ts";
import { benchJobsOverHttp } from "./jobs-over-http.ts";
import type { BenchOptions } from "./options.ts";

export async function benchJobs(options: BenchOptions): Promise<void> {
  await benchJobsOverHttp(options);
  await benchJobsInProcess(options);
  await benchJobGrowth(options);
}
