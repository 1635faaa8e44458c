/** Stores a JobTemplate or a ScheduledJob, and then its list, which it owns. */
import type { Client, ResourceType } from "../../api/client.ts";
import type { JobTemplate, ScheduledJob } from "../../api/generated/tallyjob.ts";
import { jobTemplates, scheduledJobs } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import type { KeptRun } from "../compose/compose-kept.ts";
import { createSupport } from "./submit-job.ts";

export async function keepRun<T extends JobTemplate | ScheduledJob>(
  client: Client,
  { object, support }: KeptRun<T>,
): Promise<T> {
  const kept = await client.create(typeOf(object), object);
  await createSupport(client, support(kept.metadata.uid ?? ""));
  // The latest revision includes the list, which was stored last.
  const { resourceVersion } = await client.list(typeOf(object), { limit: 1 });
  await client.durable(resourceVersion);
  return kept;
}

/** Replaces the object of that name. Jobs created from it have their own lists. */
export async function replaceKept<T extends JobTemplate | ScheduledJob>(
  client: Client,
  kept: KeptRun<T>,
): Promise<T> {
  const type = typeOf(kept.object);
  const { namespace = "", name = "" } = kept.object.metadata;
  if (await findObject(client, type, { namespace, name })) {
    await client.delete(type, { namespace, name }, { propagationPolicy: "Background" });
  }
  return keepRun(client, kept);
}

function typeOf<T extends JobTemplate | ScheduledJob>({ kind }: T): ResourceType<T> {
  const type: ResourceType = kind === "JobTemplate" ? jobTemplates : scheduledJobs;
  return type as ResourceType<T>;
}
