/**
 * What Jobs cost, compared with a real cluster (kube-apiserver, etcd without fsync and
 * kube-controller-manager without rate limits on a machine of the same size) and with the figures
 * in the designs of Jobs (KEPs).
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
