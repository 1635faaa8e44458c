/**
 * Tools that people use to start many short processes, for comparison: without pods, logs, status.
 */
import { spawn } from "node:child_process";
import { hasTool } from "../test/support/debian-tool.ts";
import { childrenCpuMs } from "./process-figures.ts";

export interface Rival {
  readonly name: string;
  /** Resolves when all processes have ended. */
  readonly run: (processes: number) => Promise<void>;
}

export interface Measured {
  readonly perSecond: number;
  /** The CPU time of the processes and of the program that starts them. */
  readonly cpuMsPerRun: number;
}

export const PROGRAM = "/bin/true";

export function findRivals(parallelism: number): readonly Rival[] {
  const loop = { name: "a spawn loop in Node", run: (all: number) => spawnLoop(all, parallelism) };
  const xargs = xargsRival(parallelism);
  const parallel = piped("parallel", [`-j${parallelism}`, PROGRAM]);
  return hasTool("parallel") ? [loop, xargs, parallel] : [loop, xargs];
}

export function xargsRival(parallelism: number): Rival {
  return piped("xargs", [`-P${parallelism}`, "-n1", PROGRAM]);
}

export async function measureRival({ run }: Rival, processes: number): Promise<Measured> {
  const ownBefore = process.cpuUsage();
  const childrenBefore = await childrenCpuMs();
  const fromMs = performance.now();
  await run(processes);
  const seconds = (performance.now() - fromMs) / 1000;
  const { user, system } = process.cpuUsage(ownBefore);
  const cpuMs = (await childrenCpuMs()) - childrenBefore + (user + system) / 1000;
  return { perSecond: processes / seconds, cpuMsPerRun: cpuMs / processes };
}

function spawnLoop(processes: number, parallelism: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let [started, ended] = [0, 0];
    const startNext = (): void => {
      if (started === processes) return;
      started++;
      spawn(PROGRAM, { stdio: "ignore" })
        .once("error", reject)
        .once("exit", () => {
          ended++;
          if (ended === processes) resolve();
          else startNext();
        });
    };
    for (let each = 0; each < parallelism; each++) startNext();
  });
}

/** A program that reads one line for each process to start. */
function piped(program: string, args: readonly string[]): Rival {
  const name = [program, ...args].join(" ");
  const run = async (processes: number): Promise<void> => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end(Array.from({ length: processes }, (_, index) => `${index}\n`).join(""));
    await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  };
  return { name, run };
}
