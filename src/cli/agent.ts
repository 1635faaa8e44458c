/** "tally agent": this machine as a node of a server elsewhere, until it is told to stop. */
import { readFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { ensurePrivateDirectory } from "../access/private-file.ts";
import type { ClientAccess } from "../access/read-kubeconfig.ts";
import { DirectoryInUse } from "../base/directory-lock.ts";
import { notePlace } from "../base/known-places.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { dataPath } from "../command/data-path.ts";
import { findAccess } from "../command/find-access.ts";
import type { Machine } from "../command/machine.ts";
import { type AgentFlags, readAgentFlags } from "./agent-flags.ts";
import { leftRunningLine } from "./left-running.ts";
import { openCommandLog } from "./open-log.ts";
import { withOwnRange } from "./own-ranges.ts";
import { stopRequest } from "./stop-request.ts";

export async function agent(flags: AgentFlags, machine: Machine): Promise<void> {
  const dataDir = directoryOf(flags, machine);
  const settings = readAgentFlags(withOwnRange(flags, dataDir));
  const log = openCommandLog(settings.logLevel, machine);
  const { url, namespace: _namespace, ...identity } = await accessOf(flags, machine);
  const clientAuthority = await findClientAuthority(flags, identity.ca, machine);
  ensureOwnDirectory(dataDir);
  await ensurePrivateDirectory(dataDir);
  notePlaces(dataDir, flags, machine);
  const stop = stopRequest(machine, log);
  try {
    const { startRemoteAgent } = await import("../remote-agent.ts");
    const running = await startRemoteAgent({
      server: { server: url, ...identity, userAgent: "tally-agent" },
      agent: settings.agent,
      dataDir,
      address: settings.address,
      port: settings.port,
      ...(clientAuthority === undefined ? {} : { clientAuthority }),
      log,
    }).catch((error: unknown) => {
      if (!(error instanceof DirectoryInUse)) throw error;
      throw new CommandFailure(`error: ${error.message} (use --node-name or --data)`);
    });
    try {
      machine.writeOut(`Node ${running.nodeName} is ready at ${url}\n`);
      await stop.requested;
    } finally {
      const { leftRunning } = await running.stop();
      log.info("stopped");
      const line = leftRunningLine(leftRunning, { adoptedBy: "tally agent", data: dataDir });
      if (line !== undefined) machine.writeOut(`${line}\n`);
    }
  } finally {
    stop.close();
  }
}

/** Its pods must see neither what the node keeps nor what it shows to the server. */
function notePlaces(dataDir: string, flags: AgentFlags, machine: Machine): void {
  const { environment, workingDirectory } = machine;
  const listed = flags.kubeconfig ?? environment["KUBECONFIG"] ?? "";
  const files = flags.kubeconfig === undefined ? listed.split(delimiter) : [listed];
  for (const path of [dataDir, ...files.filter((each) => each !== "")]) {
    notePlace(resolve(workingDirectory, path), machine);
  }
}

async function accessOf(flags: AgentFlags, machine: Machine): Promise<ClientAccess> {
  const access = await findAccess(flags, machine);
  if (access) return access;
  throw new CommandFailure("error: there is no kubeconfig (use --kubeconfig)");
}

/** Whom the authority of the server vouches for is asked of a file, or it is the same one. */
async function findClientAuthority(
  { clientCaFile }: AgentFlags,
  ca: string | undefined,
  { workingDirectory }: Machine,
): Promise<string | undefined> {
  if (clientCaFile === undefined) return ca;
  return readFile(resolve(workingDirectory, clientCaFile), "utf8");
}

/** Every node of a machine has its own. */
function directoryOf({ data, nodeName }: AgentFlags, machine: Machine): string {
  if (data !== undefined) return resolve(machine.workingDirectory, data);
  return join(dataPath(undefined, machine), "agents", nodeName ?? machine.hostName.toLowerCase());
}
