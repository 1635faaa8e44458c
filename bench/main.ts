/** `npm run bench [NAME…]`: runs the benchmarks and prints each beside what it is compared with. */
import { benchApi } from "./api.ts";
import { benchStore } from "./store.ts";

const BENCHMARKS: { readonly [name: string]: () => Promise<void> } = {
  store: benchStore,
  api: benchApi,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !BENCHMARKS[name]);
if (unknown.length > 0) {
  process.stderr.write(
    `bench: no benchmark ${unknown.join(", ")}; there are ${Object.keys(BENCHMARKS).join(", ")}\n`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (asked.length === 0 || asked.includes(name)) await run();
}
