/**
 * The process runtime alone, without pods: /bin/true with a log file each, compared with xargs,
 * which writes no log and reports no status, at the same parallelism in the same run.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openProcessRuntime,
  type ProcessRuntime,
} from "../src/agent/runtimes/process/process-runtime.ts";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import type { BenchOptions } from "./options.ts";
import { cpuMs, residentMb } from "./process-figures.ts";
import { table } from "./report.ts";
import { measureRival, xargsRival } from "./spawn-rivals.ts";

export async function benchSpawnRuntime({ isQuick }: BenchOptions): Promise<void> {
  const runs = isQuick ? 200 : 5000;
  const parallelism = 8;
  const ours = await measureRuntime(runs, parallelism);
  const xargs = await measureRival(xargsRival(parallelism), runs);
  const beside = `xargs -P${parallelism}: ${Math.round(xargs.perSecond)}/s`;
  table(`process runtime: ${runs} times /bin/true, ${parallelism} at a time, a log file each`, [
    { what: "runs per second", value: perSecond(runs, ours.ms), beside },
    { what: "cpu of the server", value: `${(ours.serverMs / runs).toFixed(3)} ms/run`, beside: "" },
    {
      what: "cpu of the spawner",
      value: `${(ours.spawnerMs / runs).toFixed(3)} ms/run`,
      beside: "without the slots and what they run",
    },
    { what: "memory of the spawner", value: `${ours.spawnerMb.toFixed(0)} MB`, beside: "" },
  ]);
}

interface Measured {
  readonly ms: number;
  readonly serverMs: number;
  readonly spawnerMs: number;
  readonly spawnerMb: number;
}

async function measureRuntime(runs: number, parallelism: number): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "tally-bench-"));
  const agent = join(directory, "agent");
  const runtime = await openProcessRuntime({
    directory: agent,
    log: silentLog,
    clock: systemClock,
  });
  const [holder = ""] = await readdir(join(agent, "lock"));
  const spawner = { process: { pid: Number.parseInt(holder, 10) } };
  try {
    const before = { server: process.cpuUsage(), spawnerMs: await cpuMs(spawner) };
    const fromMs = performance.now();
    await runAll(runtime, directory, { runs, parallelism });
    const ms = performance.now() - fromMs;
    const { user, system } = process.cpuUsage(before.server);
    const spawnerMs = (await cpuMs(spawner)) - before.spawnerMs;
    const spawnerMb = await residentMb(spawner);
    return { ms, serverMs: (user + system) / 1000, spawnerMs, spawnerMb };
  } finally {
    await runtime.close({ leavesRunning: false });
    await rm(directory, { recursive: true, force: true });
  }
}

function runAll(
  runtime: ProcessRuntime,
  directory: string,
  { runs, parallelism }: { readonly runs: number; readonly parallelism: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let [started, ended] = [0, 0];
    const startNext = () => {
      if (started === runs) return;
      const id = { podUid: String(started++), container: "main", attempt: 0 };
      const logFile = join(directory, "logs", `${id.podUid}.log`);
      const request = { command: ["/bin/true"], environment: ENVIRONMENT, logFile };
      runtime.start({ id, ...request, workingDirectory: directory }).catch(reject);
    };
    runtime.onExit(({ id }) => {
      runtime.forget(id);
      ended++;
      if (ended === runs) resolve();
      else startNext();
    });
    for (let each = 0; each < parallelism; each++) startNext();
  });
}

/** As many variables as a pod has. */
const ENVIRONMENT = [
  ["PATH", "/usr/local/bin:/usr/bin:/bin"],
  ...Array.from({ length: 12 }, (_, index) => [`VARIABLE_${index}`, "x".repeat(40)] as const),
] as const;

function perSecond(runs: number, ms: number): string {
  return `${Math.round((runs * 1000) / ms)}/s`;
}
