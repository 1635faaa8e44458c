/**
 * Writes all attempts at a Job to its ledger. `tally controller` writes it only every few seconds,
 * and the pods are deleted together with the Job: a command that replaces a Job calls this first.
 * Otherwise attempts would be lost.
 */
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import { configMaps } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { attemptsEndedBy } from "../../ledger/attempt.ts";
import { composeLedger, findLedger, ledgerName } from "../../ledger/job-ledger.ts";
import { NotedAttempts } from "../../ledger/noted-attempts.ts";
import { hasLedger, readPods } from "./read-run.ts";

/** The controller may write at the same time. */
const TRIES = 10;

export async function completeLedger(client: Client, job: Job): Promise<void> {
  if (!hasLedger(job)) return;
  for (let left = TRIES; ; left--) {
    try {
      await noteAttempts(client, job);
      return;
    } catch (error) {
      const isRace = error instanceof ApiError && (error.code === 409 || error.code === 404);
      if (!isRace || left === 0) throw error;
    }
  }
}

async function noteAttempts(client: Client, job: Job): Promise<void> {
  const { namespace = "", name = "" } = job.metadata;
  // The ledger is read before the pods: an attempt that is missing in it still has its pod.
  const stored = await findObject(client, configMaps, { namespace, name: ledgerName(name) });
  const earlier = findLedger(stored, job);
  // The object belongs to something else. The controller leaves it alone, too.
  if (stored && !earlier) return;
  const notes = new NotedAttempts();
  for (const pod of await readPods(client, { first: job, retries: [] })) {
    for (const placed of attemptsEndedBy({ pod, isDeleted: false, nowMs: 0 })) notes.add(placed);
  }
  if (earlier) notes.addEarlier(earlier);
  if (!notes.isNew) return;
  const composed = composeLedger(job, stored, notes.take());
  await (stored ? client.update(configMaps, composed) : client.create(configMaps, composed));
}
