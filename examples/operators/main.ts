/** Runs one of the operators with the access kubectl has: "map-reduce" or "sweep". */
import { KubeConfig } from "@kubernetes/client-node";
import { mapReduce } from "./map-reduce/map-reduce.ts";
import { operate } from "./operate.ts";
import { sweep } from "./sweep/sweep.ts";

const operators = new Map([
  ["map-reduce", mapReduce],
  ["sweep", sweep],
]);

const operator = operators.get(process.argv[2] ?? "");
if (operator === undefined) {
  process.stderr.write(`usage: node operators.mjs ${[...operators.keys()].join("|")}\n`);
  process.exitCode = 2;
} else {
  const config = new KubeConfig();
  config.loadFromDefault();
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
  await operate(config, { namespace, signal: stopping.signal }, operator);
}
