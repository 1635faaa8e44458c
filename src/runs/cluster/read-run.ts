/** Reads a run from a cluster: its Jobs, their pods, and its ledger if there is one. */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap, Pod } from "../../api/generated/core.ts";
import { CONTROLLER_UID_LABEL } from "../../api/job-labels.ts";
import { configMaps, jobs, pods } from "../../api/resources.ts";
import { RUN, WORK_LIST } from "../../api/work-list/names.ts";
import type { FormerIndexesAt } from "../../api/work-list/opened-list.ts";
import { findObject } from "../../client/find.ts";
import { findLedger, type JobLedger, ledgerName } from "../../ledger/job-ledger.ts";
import { CONTINUES } from "../../ledger/story.ts";
import { readFormerIndexes } from "../list/stored-items.ts";
import { BUILT_IN_MANAGER } from "./find-manager.ts";
import { chainJobs, findChain, type RunChain } from "./run-chain.ts";

export interface RunPlaceName {
  readonly namespace: string;
  readonly name: string;
}

/** For a Job that is not part of a run, the Job alone; undefined if there is none. */
export async function readChain(
  client: Client,
  place: RunPlaceName,
): Promise<RunChain | undefined> {
  const { namespace, name } = place;
  const { items } = await client.list(jobs, { namespace, labelSelector: `${RUN}=${name}` });
  const known = findChain(items, name);
  if (known) return known;
  const alone = await findObject(client, jobs, { namespace, name });
  return alone && { first: alone, retries: [] };
}

/** The Jobs of all runs of a namespace. */
export async function readRunJobs(client: Client, namespace: string): Promise<readonly Job[]> {
  return (await client.list(jobs, { namespace, labelSelector: RUN })).items;
}

export async function readPods(client: Client, chain: RunChain): Promise<readonly Pod[]> {
  const { namespace = "" } = chain.first.metadata;
  const uids = chainJobs(chain).map(({ metadata }) => metadata.uid ?? "");
  const labelSelector = `${CONTROLLER_UID_LABEL} in (${uids.join(",")})`;
  return (await client.list(pods, { namespace, labelSelector })).items;
}

/** Whether `tally controller` keeps a ledger of this Job. */
export function hasLedger({ metadata, spec }: Job): boolean {
  const { managedBy = BUILT_IN_MANAGER } = spec;
  return managedBy !== BUILT_IN_MANAGER && metadata.annotations?.[WORK_LIST] !== undefined;
}

/** Undefined if no ledger is kept. */
export async function readLedger(
  client: Client,
  { first }: RunChain,
): Promise<JobLedger | undefined> {
  const { namespace = "", name = "" } = first.metadata;
  return findLedger(await findReadable(client, { namespace, name: ledgerName(name) }), first);
}

/** Which indexes of former Jobs the items had; undefined if they never moved. */
export async function readFormer(
  client: Client,
  { first }: RunChain,
): Promise<FormerIndexesAt | undefined> {
  // Only the list of a Job that continues another one has a history.
  if (first.metadata.annotations?.[CONTINUES] === undefined) return undefined;
  return readFormerIndexes(client, first);
}

/** Undefined if the user may not read ConfigMaps. */
async function findReadable(client: Client, name: RunPlaceName): Promise<ConfigMap | undefined> {
  try {
    return await findObject(client, configMaps, name);
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}
