/**
 * The server a command talks to. Reading order: this file (finding and asking it), discovery (what
 * it offers), targets (what the arguments of a command mean). Nothing here prints, except what the
 * server warns of.
 */
import type { ClientAccess } from "../../access/read-kubeconfig.ts";
import type { Closable } from "../../api/client.ts";
import { socketAddress } from "../../base/socket-address.ts";
import { type HttpAnswer, wholeText } from "../../client/http-connection.ts";
import { errorOf } from "../../client/http-errors.ts";
import type { HttpRequest } from "../../client/http-requests.ts";
import { openConnection } from "../../client/renewing-connection.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { findAccess } from "../../command/find-access.ts";
import type { Machine } from "../../command/machine.ts";
import { unreachable } from "../../command/unreachable.ts";
import { SOCKET } from "../../engine-options.ts";
import { runDirectory } from "../../runs/host/data-directory.ts";
import { isEngineThere } from "../../runs/host/engine-host.ts";
import { LOCAL_ENGINE } from "../../runs/host/other-engine.ts";
import { DISCOVERY, type Offered, offeredBy, type WireDiscovery } from "./discovery.ts";

/** Of every command that talks to a server. */
export interface ClusterFlags {
  /** A data directory whose engine is meant. */
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export interface Cluster extends Closable {
  readonly url: string;
  /** Of the flag, else of the context, else "default". */
  readonly namespace: string;
  /** Throws an ApiError for a refusal, a CommandFailure where nobody answers. */
  ask<T>(request: HttpRequest): Promise<T>;
  /** An answer that goes on; one that is a refusal throws. */
  open(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  offered(): Promise<readonly Offered[]>;
}

export async function openCluster(flags: ClusterFlags, machine: Machine): Promise<Cluster> {
  const { url, namespace, ...identity } = await findServer(flags, machine);
  const connection = openConnection({ server: url, ...identity });
  const reached = async (answer: Promise<HttpAnswer>): Promise<HttpAnswer> => {
    const { status, ...rest } = await answer.catch((cause) => {
      throw unreachable(url, cause);
    });
    for (const warning of rest.warnings) machine.writeError(`Warning: ${warning}\n`);
    if (status < 200 || status > 299) throw errorOf(status, await wholeText({ status, ...rest }));
    return { status, ...rest };
  };
  let offered: Promise<readonly Offered[]> | undefined;
  const ask = async <T>(request: HttpRequest) =>
    JSON.parse(await wholeText(await reached(connection.send(request)))) as T;
  return {
    url,
    namespace: flags.namespace || namespace || "default",
    ask,
    open: (request, signal) => reached(connection.stream(request, signal)),
    offered: () => {
      offered ??= Promise.all(DISCOVERY.map((each) => ask<WireDiscovery>(each))).then(offeredBy);
      return offered;
    },
    close: () => connection.close(),
  };
}

type Server = Partial<ClientAccess> & { readonly url: string; readonly socketPath?: string };

/** An engine of this directory comes before all servers, unless one is named. */
async function findServer(flags: ClusterFlags, machine: Machine): Promise<Server> {
  const { kubeconfig, context, data } = flags;
  if (kubeconfig === undefined && context === undefined) {
    const dataDir = runDirectory(flags, machine.workingDirectory);
    if (await isEngineThere(dataDir)) {
      return { url: LOCAL_ENGINE, socketPath: socketAddress(dataDir, SOCKET) };
    }
    if (data !== undefined) throw new CommandFailure(`error: no engine runs in ${dataDir}`);
  }
  const access = await findAccess(flags, machine);
  if (access === undefined) {
    throw new CommandFailure('error: there is no kubeconfig (start a server with "tally up")');
  }
  return access;
}
