/** The ledger reader for components in the server's process. */
import { type IndexState, STATES } from "../../ledger/index-states.ts";
import type { IndexStory, LedgerReader, StoryPage } from "../../ledger/reader.ts";
import type { StoredObjects } from "../../store/types.ts";
import type { JobIndex } from "./job-index.ts";
import { findIndex, listIndexes } from "./list-indexes.ts";

const PAGE = 10_000;

export function localLedger(store: StoredObjects): LedgerReader {
  return {
    list: async (job, { state, from = "0", limit = PAGE } = {}): Promise<StoryPage> => {
      const { items, last } = listIndexes(store, job, {
        states: new Set<IndexState>(state ? [state] : STATES),
        from: Number(from),
        end: Number.POSITIVE_INFINITY,
        limit,
        matches: () => true,
      });
      const next = last === undefined ? {} : { next: String(last + 1) };
      return { items: items.map(storyOf), ...next };
    },
    find: async (job, index) => {
      const found = findIndex(store, job, index);
      return found && storyOf(found);
    },
  };
}

function storyOf({ spec, status }: JobIndex): IndexStory {
  return { index: spec.index, state: status.state, attempts: status.attempts };
}
