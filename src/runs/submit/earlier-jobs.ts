/** The Jobs whose indexes are the same items as those of a Job, oldest first, itself last. */
import type { Job } from "../../api/generated/batch.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { CONTINUES, CONTINUES_FROM } from "../../ledger/story.ts";

/** Whether the Job was made in place of one that had the uid, with the same items. */
export function isContinuationOf({ metadata }: Job, uid: string): boolean {
  return (metadata.annotations?.[CONTINUES] ?? "").split(",").includes(uid);
}

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

/** Tally 0.1 did not name them in the Job: they are those of the attempts. */
async function notedUids(ledger: LedgerReader, job: Job): Promise<readonly string[]> {
  const { namespace = "", name: jobName = "", uid = "" } = job.metadata;
  const found = new Set<string>();
  let from: string | undefined;
  do {
    const page = await ledger.list({ namespace, jobName }, from === undefined ? {} : { from });
    for (const { attempts } of page.items) for (const { jobUID } of attempts) found.add(jobUID);
    from = page.next;
  } while (from !== undefined);
  found.delete(uid);
  return [...found];
}
