/** `npm run bench [-- --quick] [NAME…]`: prints each figure beside what it is compared with. */
import { benchApi } from "./api.ts";
import { benchCluster } from "./cluster.ts";
import { benchJobs } from "./jobs.ts";
import type { BenchOptions } from "./options.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchSpawn } from "./spawn.ts";
import { benchStore } from "./store.ts";

const BENCHMARKS: { readonly [name: string]: (options: BenchOptions) => Promise<void> } = {
  store: benchStore,
  api: benchApi,
  jobs: benchJobs,
  spawn: benchSpawn,
  sandbox: benchSandbox,
  cluster: benchCluster,
};

const asked = process.argv.slice(2).filter((argument) => argument !== "--quick");
const options: BenchOptions = { isQuick: process.argv.includes("--quick") };
const unknown = asked.filter((name) => !BENCHMARKS[name]);
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no benchmark ${unknown.join(", ")}; there are ${Object.keys(BENCHMARKS).join(", ")}\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (asked.length === 0 || asked.includes(name)) await run(options);
}
