/** Whether a name that could be of any Job of a cluster is that of a run there. */
import type { Job } from "../../api/generated/batch.ts";
import { RUN } from "../../api/work-list/names.ts";
import type { Machine } from "../../command/machine.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import { type ClusterRuns, openClusterRuns } from "./cluster-runs.ts";

export interface FoundClusterRun {
  /** To be closed. */
  readonly runs: ClusterRuns;
  readonly job: Job;
}

/** Any Indexed Job will do where items are asked for. */
export async function findClusterRun(
  name: string,
  flags: PlaceFlags,
  machine: Machine,
  { isOfItem = false }: { readonly isOfItem?: boolean } = {},
): Promise<FoundClusterRun | undefined> {
  const runs = await openClusterRuns(flags, machine);
  try {
    const job = await runs.findJob(name);
    const isRun = job?.metadata.labels?.[RUN] !== undefined;
    if (job && (isRun || isOfItem)) return { runs, job };
  } catch (error) {
    await runs.close();
    throw error;
  }
  await runs.close();
  return undefined;
}
