/** The cluster whose runs are meant, and how to speak to it. */
import type { AccessOptions } from "../../client/renewing-connection.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { findAccess } from "../../command/find-access.ts";
import type { Machine } from "../../command/machine.ts";
import { unreachable } from "../../command/unreachable.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import { BROKEN_OFF } from "../show/summary.ts";
import { type ReachedCluster, reachCluster } from "./reach-cluster.ts";

export interface ClusterAccess {
  readonly access: AccessOptions;
  /** Of the flag, else of the context, else "default". */
  readonly namespace: string;
}

export async function findCluster(flags: PlaceFlags, machine: Machine): Promise<ClusterAccess> {
  if (flags.data !== undefined) {
    const named = flags.context === undefined ? "--kubeconfig" : "--context";
    throw new CommandFailure(`error: --data and ${named} are two places: use one`, 2);
  }
  const found = await findAccess(flags, machine);
  if (!found) throw new CommandFailure("error: there is no kubeconfig");
  const { url, namespace, ...identity } = found;
  return {
    access: { server: url, ...identity, userAgent: "tally" },
    namespace: flags.namespace || namespace || "default",
  };
}

export async function openCluster(
  { access, namespace }: ClusterAccess,
  exitCode = BROKEN_OFF,
): Promise<ReachedCluster> {
  try {
    return await reachCluster(access, { namespace, nowMs: () => performance.now() });
  } catch (error) {
    const failure = unreachable(access.server, error);
    throw failure instanceof CommandFailure
      ? new CommandFailure(failure.message, exitCode)
      : failure;
  }
}
