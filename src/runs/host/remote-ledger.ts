/** The ledger as read over the socket of an engine in another process. */
import { isNotFound } from "../../client/find.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import { errorOf } from "../../client/http-errors.ts";
import { query } from "../../client/http-requests.ts";
import type { Attempt } from "../../ledger/attempt.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import type { JobName } from "../../ledger/keys.ts";
import type { IndexStory, LedgerReader, StoryPage } from "../../ledger/reader.ts";

export function remoteLedger(connection: Connection): LedgerReader {
  return {
    list: async (job, { state, from, limit } = {}): Promise<StoryPage> => {
      const fieldSelector = state && `status.state=${state}`;
      const parameters = query({ fieldSelector, continue: from, limit });
      const { items, metadata } = await ask<WireList>(connection, `${pathOf(job)}${parameters}`);
      const next = metadata.continue ? { next: metadata.continue } : {};
      return { items: items.map(storyOf), ...next };
    },
    find: async (job, index) => {
      try {
        return storyOf(await ask<WireIndex>(connection, `${pathOf(job)}/${index}`));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}

interface WireList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly WireIndex[];
}

interface WireIndex {
  readonly spec: { readonly index: number };
  readonly status: { readonly state: IndexState; readonly attempts: readonly Attempt[] };
}

function pathOf({ namespace, jobName }: JobName): string {
  const [space, name] = [namespace, jobName].map(encodeURIComponent);
  return `/apis/tallyjob.io/v1alpha1/namespaces/${space}/jobs/${name}/indexes`;
}

async function ask<T>(connection: Connection, path: string): Promise<T> {
  const answer = await connection.send({ method: "GET", path });
  const text = await wholeText(answer);
  if (answer.status !== 200) throw errorOf(answer.status, text);
  return JSON.parse(text) as T;
}

function storyOf({ spec, status }: WireIndex): IndexStory {
  return { index: spec.index, state: status.state, attempts: status.attempts };
}
