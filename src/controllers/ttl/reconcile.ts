/** Deletes a Job if its TTL has expired; otherwise returns when to check again. */
import type { Name } from "../../api/client.ts";
import { jobs } from "../../api/resources.ts";
import type { Histogram } from "../../base/metrics.ts";
import { isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideTtl, type TtlDecision, type TtlObservation } from "./decide.ts";
import { type Observing, observeCached, observeLive } from "./observe.ts";

export interface Expiring extends Observing {
  /** Measures how late Jobs are deleted. */
  readonly lateness: Histogram;
}

export async function reconcile(expiring: Expiring, key: string): Promise<Outcome> {
  const [namespace = "", name = ""] = key.split("/");
  const place = { namespace, name };
  const seen = decideSeen(observeCached(expiring, place));
  if (seen.kind !== "delete") return waitFor(seen);
  // The cache may not show yet that a user has extended the TTL.
  const live = await observeLive(expiring, place);
  const decision = decideSeen(live);
  if (!live || decision.kind !== "delete") return waitFor(decision);
  if (!(await deleteJob(expiring, place, live))) return done;
  const lateMs = expiring.clock.nowMs() - decision.expiredAtMs;
  expiring.lateness.observe({}, lateMs / 1000);
  return done;
}

function decideSeen(observation: TtlObservation | undefined): TtlDecision {
  return observation ? decideTtl(observation) : { kind: "keep" };
}

function waitFor(decision: TtlDecision): Outcome {
  return decision.kind === "wait" ? after(decision.delayMs) : done;
}

/** Returns false if the Job no longer existed. */
async function deleteJob(
  { client }: Expiring,
  place: Name,
  { job }: TtlObservation,
): Promise<boolean> {
  const { uid = "" } = job.metadata;
  try {
    await client.delete(jobs, place, { propagationPolicy: "Foreground", preconditions: { uid } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
