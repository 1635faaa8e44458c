/** "tally down": ends the pods that a stopped server, or a stopped agent, left running. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DirectoryInUse } from "../base/directory-lock.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { dataPath } from "../command/data-path.ts";
import { type AccessFlags, findAccess } from "../command/find-access.ts";
import type { Machine } from "../command/machine.ts";
import { readSandbox, SANDBOX_DEFAULTS } from "../command/sandbox-flags.ts";
import type { EndedNode, EndNodeOptions } from "../end-node.ts";
import { DATA_DIRECTORY_IN_USE } from "../engine-options.ts";
import { openCommandLog } from "./open-log.ts";
import { withOwnRange } from "./own-ranges.ts";
import { readLogLevel } from "./up-flags.ts";

export interface DownFlags extends AccessFlags {
  readonly data?: string;
  readonly logLevel: string;
}

export async function down(flags: DownFlags, machine: Machine): Promise<void> {
  const dataDir = dataPath(flags.data, machine);
  const options: EndNodeOptions = {
    dataDir,
    sandbox: readSandbox(withOwnRange(SANDBOX_DEFAULTS, dataDir)),
    log: openCommandLog(readLogLevel(flags.logLevel), machine),
  };
  const { pods } = await endNodeOf(options, flags, machine).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    throw new CommandFailure(`error: ${error.message}: stop that first, with Ctrl-C or SIGTERM`);
  });
  machine.writeOut(`${summary(pods)}\n`);
}

function summary(pods: number): string {
  if (pods === 0) return "no pods are running";
  const were = pods === 1 ? "1 pod was" : `${pods} pods were`;
  return `${were} ended, as by a shutdown of the node (reason Terminated)`;
}

/** A server has a store of its own; the agent of a server elsewhere has none. */
async function endNodeOf(
  options: EndNodeOptions,
  flags: DownFlags,
  machine: Machine,
): Promise<EndedNode> {
  const { dataDir } = options;
  ensureOwnDirectory(dataDir);
  const hasStore = existsSync(join(dataDir, "store"));
  if (!hasStore && !existsSync(join(dataDir, "agent"))) {
    throw new CommandFailure(`error: ${dataDir} is not the data directory of a server`);
  }
  const { endNode, endRemoteNode } = await import("../end-node.ts");
  if (hasStore) return endNode(options);
  const access = await findAccess(flags, machine);
  if (!access) throw new CommandFailure("error: there is no kubeconfig (use --kubeconfig)");
  const { url, namespace: _namespace, ...identity } = access;
  return endRemoteNode(options, { server: url, ...identity, userAgent: "tally-agent" });
}

function isInUse(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof DirectoryInUse || ("code" in error && error.code === DATA_DIRECTORY_IN_USE)
  );
}
