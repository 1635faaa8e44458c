/** The former Jobs of a run that have the same items at the same indexes. */
import type { Job } from "../../api/generated/batch.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { CONTINUES, CONTINUES_FROM } from "../../ledger/story.ts";
import { storyPages } from "../../ledger/story-pages.ts";

/** Whether the Job replaced the one with this uid, with the same items. */
export function isContinuationOf({ metadata }: Job, uid: string): boolean {
  return (metadata.annotations?.[CONTINUES] ?? "").split(",").includes(uid);
}

/** Oldest first, the Job itself last. */
export async function formerUids(
  { ledger }: { readonly ledger: LedgerReader },
  job: Job,
): Promise<readonly string[]> {
  const { uid = "", annotations = {} } = job.metadata;
  const named = annotations[CONTINUES];
  if (named !== undefined) return [...named.split(",").filter((each) => each !== ""), uid];
  if (annotations[CONTINUES_FROM] === undefined) return [uid];
  return [...(await notedUids(ledger, job)), uid];
}

/** Jobs of Tally 0.1 do not list them: they are the Jobs of the attempts in the ledger. */
async function notedUids(ledger: LedgerReader, job: Job): Promise<readonly string[]> {
  const { namespace = "", name: jobName = "", uid = "" } = job.metadata;
  const found = new Set<string>();
  for await (const stories of storyPages(ledger, { namespace, jobName })) {
    for (const { attempts } of stories) for (const { jobUID } of attempts) found.add(jobUID);
  }
  found.delete(uid);
  return [...found];
}
