/** A server that only starts runs, one for each line of its input. Tests kill it. */
import { createInterface } from "node:readline";
import { openProcessRuntime } from "../../src/agent/runtimes/process/process-runtime.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";

const [directory = "", spawnerFile = ""] = process.argv.slice(2);
const runtime = await openProcessRuntime({
  directory,
  spawnerFile,
  log: silentLog,
  clock: systemClock,
});
await runtime.recover();
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { pid } = await runtime.start(JSON.parse(line));
  process.stdout.write(`${pid}\n`);
}
