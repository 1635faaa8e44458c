/** Engines in this process: private to their data directory, and to its user. */
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDataDirectory } from "../../access/data-directory.ts";
import { startSpawnerEarly } from "../../agent/spawner/start.ts";
import { notePlace } from "../../base/known-places.ts";
import { type Log, openLog, silentLog } from "../../base/log.ts";
import { socketAddress } from "../../base/socket-address.ts";
import { readSandbox, SANDBOX_DEFAULTS } from "../../command/sandbox-flags.ts";
import { type CoreEngine, type CoreOptions, SOCKET } from "../../engine-options.ts";

/** The most pods of a node: of one run with -j 0, and of several runs together. */
export const MAX_TASKS = 10_000;

/** The range of addresses of Services. Runs do not use Services. */
const SERVICE_CIDR = "127.128.0.0/16";

/** The controllers that runs need. Others would only make a short run slower. */
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

/** Creates the directory if it is missing; answers with the way to start an engine in it. */
export async function prepareRunEngine(dataDir: string): Promise<() => Promise<CoreEngine>> {
  await openDataDirectory(dataDir);
  notePlace(dataDir);
  keepOutOfGit(dataDir);
  // The spawner starts while the engine is being loaded.
  if (!existsSync(join(dataDir, SOCKET))) startSpawnerEarly(join(dataDir, "agent"), true);
  return () =>
    startEngine({
      dataDir,
      socket: socketAddress(dataDir, SOCKET),
      agent: {
        maxPods: MAX_TASKS,
        environment: "whole",
        // Running items may belong to other runs. Ours have ended by then, or are adopted later.
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
    });
}

/**
 * An engine that stores what is written and runs nothing. The next engine that runs items carries
 * the changes out.
 */
export function startStoringEngine(dataDir: string): Promise<CoreEngine> {
  const controllers = "none";
  return startEngine({ dataDir, controllers, serviceCidr: SERVICE_CIDR, log: silentLog });
}

/** Loaded when needed: most commands find a running engine, and connect to it. */
async function startEngine(options: CoreOptions): Promise<CoreEngine> {
  const { startCoreEngine } = await import("../../engine.ts");
  return startCoreEngine(options);
}

/** Warnings of the engine must not mix with the output of items. */
function engineLog(dataDir: string): Log {
  const write = (text: string) => {
    try {
      appendFileSync(join(dataDir, "engine.log"), text, { mode: 0o600 });
    } catch {
      // The store reports a full disk.
    }
  };
  return openLog({ level: "warn", format: "text", write });
}

/** The directory is often inside a work tree, in which Git would list it as untracked. */
function keepOutOfGit(dataDir: string): void {
  const file = join(dataDir, ".gitignore");
  if (!existsSync(file)) writeFileSync(file, "*\n", { mode: 0o600 });
}
