/** The runs of a cluster, for whoever carries one to its end in the foreground. */
import { openConnection } from "../../client/renewing-connection.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import type { RunPlace } from "../host/run-place.ts";
import { sameFlags } from "../host/stored.ts";
import { podLog } from "../show/log-files.ts";
import { BROKEN_OFF } from "../show/summary.ts";
import { type ClusterAccess, findCluster, openCluster } from "./cluster-access.ts";
import { clusterLogs } from "./cluster-logs.ts";
import { isAnswering } from "./reach-cluster.ts";

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const PATIENCE_MS = 15 * 60_000;

export async function clusterPlace(flags: PlaceFlags, machine: Machine): Promise<RunPlace> {
  const cluster = await findCluster(flags, machine);
  const connection = openConnection(cluster.access);
  const complain = (text: string) => machine.writeError(`tally: ${text}\n`);
  let isAgain = false;
  return {
    reach: async () => {
      if (isAgain) await untilAnswering(cluster, complain);
      isAgain = true;
      return openCluster(cluster);
    },
    logs: clusterLogs({ connection, nowMs: () => performance.now(), complain }),
    flags: sameFlags(flags),
    logOf: (_, { pod }) => podLog({ pod: pod.name }),
    close: () => connection.close(),
  };
}

/** The run goes on there meanwhile. */
async function untilAnswering(
  { access }: ClusterAccess,
  complain: (text: string) => void,
): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (await isAnswering(access)) return;
    if (pauseMs === LONGEST_PAUSE_MS / 2) complain(`${access.server} does not answer; waiting`);
    if (performance.now() > untilMs) {
      throw new CommandFailure(`error: ${access.server} does not answer any more`, BROKEN_OFF);
    }
  }
}
