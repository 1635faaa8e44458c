/** The servers that the API benchmark measures: ours, and a real one for comparison. */
import { startControlPlane } from "../test/cluster/control-plane.ts";
import { findBinaries } from "../test/cluster/find-binaries.ts";
import { startTally } from "../test/support/tally.ts";
import type { Target } from "./load.ts";
import { cpuMs, residentMb, type WithProcess } from "./process-figures.ts";

export interface ApiTarget extends Target {
  readonly name: string;
  /** The time from its start until its first answer. */
  readonly readyMs: number;
  /** The sum of all its processes. */
  memoryMb(): Promise<number>;
  cpuMs(): Promise<number>;
  dispose(): Promise<void>;
}

export async function startOurs(): Promise<ApiTarget> {
  const began = performance.now();
  const tally = await startTally({ args: ["--controllers=none", "--no-agent"] });
  const readyMs = performance.now() - began;
  const { url, token } = tally;
  const dispose = () => tally.dispose();
  return { name: "tally", url, token, readyMs, ...figuresOf([tally]), dispose };
}

/** kube-apiserver with etcd, with fsync switched off. */
export async function startPeer(): Promise<ApiTarget> {
  const binaries = await findBinaries();
  if ("missing" in binaries) throw new Error(`no control plane: ${binaries.missing}`);
  const began = performance.now();
  const cluster = await startControlPlane(binaries, {
    // The recorded figures used these flags; by default the server limits the requests of a client.
    apiServerArgs: ["--enable-priority-and-fairness=false", "--max-requests-inflight=0"],
  });
  const readyMs = performance.now() - began;
  const { url, token, apiServer, etcd } = cluster;
  const dispose = () => cluster.dispose();
  return { name: "real", url, token, readyMs, ...figuresOf([apiServer, etcd]), dispose };
}

function figuresOf(processes: readonly WithProcess[]) {
  const sum = async (measure: (one: WithProcess) => Promise<number>): Promise<number> => {
    const figures = await Promise.all(processes.map(measure));
    return figures.reduce((total, figure) => total + figure, 0);
  };
  return { memoryMb: () => sum(residentMb), cpuMs: () => sum(cpuMs) };
}
