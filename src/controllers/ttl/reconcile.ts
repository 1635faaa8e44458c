/** Deletes one Job if its time is over, or says when to look again. */
import type { Name } from "../../api/client.ts";
import { jobs } from "../../api/resources.ts";
import type { Histogram } from "../../base/metrics.ts";
import { isNotFound } from "../../client/find.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideTtl, type TtlDecision, type TtlObservation } from "./decide.ts";
import { type Observing, observeCached, observeLive } from "./observe.ts";

export interface Expiring extends Observing {
  /** How late Jobs are deleted. */
  readonly lateness: Histogram;
}

export async function reconcile(expiring: Expiring, key: string): Promise<Outcome> {
  const [namespace = "", name = ""] = key.split("/");
  const place = { namespace, name };
  const seen = decideSeen(observeCached(expiring, place));
  if (seen.kind !== "delete") return waitFor(seen);
  // The cache may not know yet that someone has given the Job more time.
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

/** Whether it was there to be deleted. */
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
