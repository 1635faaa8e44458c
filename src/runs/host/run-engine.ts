/** The engine that lives in a `tally run`: private to its data directory, and to its user. */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDataDirectory } from "../../access/data-directory.ts";
import { startSpawnerEarly } from "../../agent/spawner/start.ts";
import { notePlace } from "../../base/known-places.ts";
import { type Log, openLog } from "../../base/log.ts";
import { socketAddress } from "../../base/socket-address.ts";
import { readSandbox, SANDBOX_DEFAULTS } from "../../command/sandbox-flags.ts";
import { type CoreEngine, type CoreOptions, SOCKET } from "../../engine-options.ts";
import { SERVICE_CIDR } from "./open-runs.ts";
import type { Reaching } from "./reach-engine.ts";

/** As many as a node takes of one run with -j 0, and of several runs together. */
export const MAX_TASKS = 10_000;

/** All that Jobs and what comes with them need: nothing else is worth the time of a short run. */
const RUN_CONTROLLERS = [
  "endpoints",
  "garbage",
  "job",
  "namespace",
  "scheduledjob",
  "scheduler",
  "ttl",
  "workflow",
];

/** How to reach the engine of the directory, which is made where it is missing. */
export async function reachingRunEngine(dataDir: string): Promise<Reaching> {
  await openDataDirectory(dataDir);
  notePlace(dataDir);
  keepOutOfGit(dataDir);
  // While the engine is loaded.
  if (!existsSync(join(dataDir, SOCKET))) startSpawnerEarly(join(dataDir, "agent"), true);
  const options: CoreOptions = {
    dataDir,
    socket: socketAddress(dataDir, SOCKET),
    agent: {
      maxPods: MAX_TASKS,
      environment: "whole",
      // Another run may go on with them; our own have ended by then, or are found again.
      onExit: "leave",
      sandbox: readSandbox(SANDBOX_DEFAULTS),
      strictLimits: false,
      logMaxBytes: 0,
      usesCgroups: true,
      onLogLimit: "cut",
    },
    controllers: RUN_CONTROLLERS,
    serviceCidr: SERVICE_CIDR,
    log: engineLog(dataDir),
  };
  return { dataDir, start: () => startEngine(options) };
}

async function startEngine(options: CoreOptions): Promise<CoreEngine> {
  const { startCoreEngine } = await import("../../engine.ts");
  return startCoreEngine(options);
}

/** What the engine has to complain of is nobody's output. */
function engineLog(dataDir: string): Log {
  const write = (text: string) => {
    try {
      appendFileSync(join(dataDir, "engine.log"), text, { mode: 0o600 });
    } catch {
      // A disk that is full is told by the store.
    }
  };
  return openLog({ level: "warn", format: "text", write });
}

/** It often lies in a work tree, where nobody wants it shown as new. */
function keepOutOfGit(dataDir: string): void {
  const file = join(dataDir, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n", { mode: 0o600 });
}
