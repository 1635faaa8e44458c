/**
 * The cost of a sandbox compared with a process: runs of /bin/true one after the other, alternating
 * between kinds, so that a busy machine affects all of them. For comparison: what unshare and bwrap
 * add to a plain start, although they provide neither an address nor a writable root.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openProcessRuntime,
  type ProcessRuntime,
} from "../src/agent/runtimes/process/process-runtime.ts";
import type { Exit, RunRequest, Sandbox } from "../src/agent/runtimes/runtime.ts";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { hasTool } from "../test/support/debian-tool.ts";
import type { BenchOptions } from "./options.ts";
import { table } from "./report.ts";

const PROGRAM = "/bin/true";

export async function benchSandbox({ isQuick }: BenchOptions): Promise<void> {
  const [rounds, runs] = isQuick ? [2, 10] : [10, 50];
  const directory = mkdtempSync(join(tmpdir(), "tally-bench-"));
  const runtime = await openProcessRuntime({
    directory: join(directory, "agent"),
    log: silentLog,
    clock: systemClock,
  });
  try {
    if (runtime.can.sandbox.problem !== undefined) {
      process.stdout.write(`no sandboxes here: ${runtime.can.sandbox.problem}\n`);
      return;
    }
    const times = await measure(kindsIn(runtime, directory), { rounds, runs });
    report(times, { rounds, runs });
  } finally {
    await runtime.close({ leavesRunning: false });
    rmSync(directory, { recursive: true, force: true });
  }
}

type Kinds = { readonly [kind: string]: (runs: number) => Promise<void> };
type Times = { readonly [kind: string]: readonly number[] };

async function measure(
  kinds: Kinds,
  { rounds, runs }: { readonly rounds: number; readonly runs: number },
): Promise<Times> {
  const times: { [kind: string]: number[] } = {};
  // The first round is not counted: it creates what the others use.
  for (let round = -1; round < rounds; round++) {
    for (const [kind, run] of Object.entries(kinds)) {
      const fromMs = performance.now();
      await run(runs);
      const ms = (performance.now() - fromMs) / runs;
      if (round >= 0) times[kind] = [...(times[kind] ?? []), ms];
    }
  }
  return times;
}

function kindsIn(runtime: ProcessRuntime, directory: string): Kinds {
  const ends = new Map<string, (exit: Exit) => void>();
  runtime.onExit((exit) => ends.get(exit.id.podUid)?.(exit));
  const volume = join(directory, "volume");
  mkdirSync(volume);
  let count = 0;
  const runAll = (more: (index: number) => Partial<RunRequest>) => async (runs: number) => {
    for (let each = 0; each < runs; each++) {
      const podUid = `bench-${process.pid}-${count++}`;
      const ended = new Promise<Exit>((resolve) => ends.set(podUid, resolve));
      const id = { podUid, container: "main", attempt: 0 };
      const logFile = join(directory, "logs", `${podUid}.log`);
      const command = { command: [PROGRAM], environment: [["PATH", "/usr/bin:/bin"]] as const };
      await runtime.start({ id, ...command, workingDirectory: "/", logFile, ...more(count) });
      const { exitCode } = await ended;
      if (exitCode !== 0) throw new Error(`a run ended with ${exitCode}`);
      runtime.forget(id);
    }
  };
  const mounts = [{ source: volume, mountPath: "/mnt", isReadOnly: false }];
  return {
    process: runAll(() => ({})),
    "sandbox, network of the host": runAll(() => ({ sandbox: SANDBOX })),
    "sandbox with an address": runAll((index) => ({ sandbox: withAddress(index) })),
    "and a volume": runAll((index) => ({ sandbox: withAddress(index), mounts })),
    plain: async (runs) => loop("", runs),
    unshare: async (runs) => loop(UNSHARE, runs),
    ...(hasTool("bwrap", "bubblewrap") ? { bwrap: async (runs: number) => loop(BWRAP, runs) } : {}),
  };
}

const UNSHARE = "unshare --mount --uts --ipc --net --pid --fork --mount-proc";
const BWRAP = "bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all";

function loop(prefix: string, runs: number): void {
  const text = `i=0; while [ $i -lt ${runs} ]; do ${prefix} ${PROGRAM}; i=$((i+1)); done`;
  const { status, stderr } = spawnSync("sh", ["-c", text], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${prefix}: ${stderr}`);
}

const SANDBOX: Sandbox = {
  hostname: "bench",
  messagePath: "/dev/termination-log",
  user: { uid: 0, gid: 0, groups: [] },
  capabilities: ["CHOWN", "KILL"],
  mayGainPrivileges: true,
  hasReadOnlyRoot: false,
  isAlone: true,
};

function withAddress(index: number): Sandbox {
  const address = `10.212.${1 + (index >> 7)}.${1 + (index & 127)}`;
  return { ...SANDBOX, network: { address, prefixLength: 16, gateway: "10.212.0.1" } };
}

function report(
  times: Times,
  { rounds, runs }: { readonly rounds: number; readonly runs: number },
) {
  const rows = Object.keys(times).map((what) => {
    const base = /plain|unshare|bwrap/.test(what) ? "plain" : "process";
    const over = median(times[what] ?? []) - median(times[base] ?? []);
    const beside = what === base ? "" : `${over.toFixed(1)} ms over ${base}`;
    return { what, value: `${median(times[what] ?? []).toFixed(1)} ms/run`, beside };
  });
  table(`sandbox: ${rounds} times ${runs} runs of ${PROGRAM}, one after the other, median`, rows);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
