/** Reads all stories of a Job from its ledger, page by page. */
import type { JobName } from "./keys.ts";
import type { IndexStory, LedgerReader, StoryQuery } from "./reader.ts";

/** In the order of the indexes. The next page is read when the caller asks for it. */
export async function* storyPages(
  ledger: LedgerReader,
  job: JobName,
  query: Omit<StoryQuery, "from"> = {},
): AsyncGenerator<readonly IndexStory[]> {
  let from: string | undefined;
  do {
    const page = await ledger.list(job, { ...query, ...(from === undefined ? {} : { from }) });
    yield page.items;
    from = page.next;
  } while (from !== undefined);
}
