/** Reads a Job from the cache, or its current state from the server. */
import type { Client, Name } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cache } from "../../client/cache.ts";
import { findObject } from "../../client/find.ts";
import type { TtlObservation } from "./decide.ts";

export interface Observing {
  readonly client: Client;
  readonly cache: Cache<Job>;
  readonly clock: Clock;
}

export function observeCached(
  { cache, clock }: Observing,
  { namespace = "", name }: Name,
): TtlObservation | undefined {
  const job = cache.get(namespace, name);
  return job && { job, nowMs: clock.nowMs() };
}

export async function observeLive(
  { client, clock }: Observing,
  place: Name,
): Promise<TtlObservation | undefined> {
  const job = await findObject(client, jobs, place);
  return job && { job, nowMs: clock.nowMs() };
}
