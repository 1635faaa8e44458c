/**
 * `npm run bench [-- --quick] [--peer] [NAME…]`: prints each figure with its comparison. The name
 * "api" selects all benchmarks that start with it.
 */
import { benchApiPages, benchApiRequests, benchApiWatchers } from "./api.ts";
import { benchCluster } from "./cluster.ts";
import { benchJobs } from "./jobs.ts";
import { type BenchOptions, parseArguments } from "./options.ts";
import { benchSandbox } from "./sandbox.ts";
import { benchSpawn } from "./spawn.ts";
import { benchStore } from "./store.ts";

const BENCHMARKS: { readonly [name: string]: (options: BenchOptions) => Promise<void> } = {
  store: benchStore,
  "api-requests": benchApiRequests,
  "api-watchers": benchApiWatchers,
  "api-pages": benchApiPages,
  jobs: benchJobs,
  spawn: benchSpawn,
  sandbox: benchSandbox,
  cluster: benchCluster,
};

const { options, names } = parseArguments(process.argv.slice(2));
const all = Object.keys(BENCHMARKS);
const isMeant = (asked: string, name: string) => name === asked || name.startsWith(`${asked}-`);
const unknown = names.filter((asked) => !all.some((name) => isMeant(asked, name)));
if (unknown.length > 0) {
  process.stderr.write(`bench: no benchmark ${unknown.join(", ")}; available: ${all.join(", ")}\n`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (names.length === 0 || names.some((asked) => isMeant(asked, name))) await run(options);
}
