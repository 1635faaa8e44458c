/**
 * Clients that read while others write: one watch over the whole life of a server, watches that
 * resume from an earlier revision, lists that are read page by page. The server discards its
 * history meanwhile: a client that comes too late must get an error, and never only a part.
 */
import { type OpenWatch, type SeenEvent, watchLines } from "../support/watch-lines.ts";
import type { Life } from "./crash-life.ts";
import { CONFIG_MAPS, type Item } from "./crash-objects.ts";

const PAGE = 60;

interface Resumed {
  readonly from: number;
  readonly events: readonly SeenEvent[];
}

interface Paged {
  readonly revision: number;
  readonly state: string;
}

export interface ReadFigures {
  events: number;
  resumed: number;
  refused: number;
  lists: number;
  expiredLists: number;
}

export function noFigures(): ReadFigures {
  return { events: 0, resumed: 0, refused: 0, lists: 0, expiredLists: 0 };
}

/** What was read in one life, compared at its end. */
export class Readers {
  readonly problems: string[] = [];
  readonly #life: Life;
  readonly #figures: ReadFigures;
  readonly #first: { readonly revision: number; readonly items: readonly Item[] };
  readonly #watch: OpenWatch;
  readonly #resumed: Resumed[] = [];
  readonly #paged: Paged[] = [];

  static async begin(
    life: Life,
    first: { readonly revision: number; readonly items: readonly Item[] },
    figures: ReadFigures,
  ): Promise<Readers> {
    const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${first.revision}`;
    return new Readers(life, first, figures, await watchLines(life, path));
  }

  constructor(
    life: Life,
    first: { readonly revision: number; readonly items: readonly Item[] },
    figures: ReadFigures,
    watch: OpenWatch,
  ) {
    this.#life = life;
    this.#first = first;
    this.#figures = figures;
    this.#watch = watch;
  }

  /** Resumes from a revision of this life, and reads up to the newest that any client was told. */
  async resume(newest: number, below: (limit: number) => number): Promise<void> {
    const from = this.#first.revision + below(Math.max(1, newest - this.#first.revision));
    const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`;
    const watch = await watchLines(this.#life, path);
    await watch.reached(newest);
    const events = await watch.close();
    const refusal = events.find(({ type }) => type === "ERROR");
    if (!refusal) {
      this.#resumed.push({ from, events });
      this.#figures.resumed++;
      return;
    }
    this.#figures.refused++;
    if (refusal.code === 410 && events.length === 1) return;
    this.problems.push(`a watch from ${from} was told ${refusal.code} after ${events.length}`);
  }

  async readPages(): Promise<void> {
    const items: Item[] = [];
    let next = "";
    let revision = "";
    do {
      const path = `${CONFIG_MAPS}?limit=${PAGE}&continue=${encodeURIComponent(next)}`;
      const answer = await this.#life.call("GET", path);
      if (answer.status === 410) {
        this.#figures.expiredLists++;
        return;
      }
      const page = answer.json;
      items.push(...page.items);
      revision ||= page.metadata.resourceVersion;
      if (page.metadata.resourceVersion !== revision) {
        this.problems.push(`a page of ${revision} shows ${page.metadata.resourceVersion}`);
      }
      next = page.metadata.continue ?? "";
    } while (next !== "");
    this.#paged.push({ revision: Number(revision), state: stateOf(versionsOf(items)) });
  }

  /** Called after the kill. Returns the events of the long watch. */
  async compare(): Promise<readonly SeenEvent[]> {
    const events = await this.#watch.close();
    this.#figures.events += events.length;
    const last = events.at(-1)?.revision ?? 0;
    for (const resumed of this.#resumed) this.#compareResumed(resumed, events, last);
    for (const paged of this.#paged) if (paged.revision <= last) this.#comparePaged(paged, events);
    return events;
  }

  #compareResumed({ from, events }: Resumed, all: readonly SeenEvent[], last: number): void {
    const end = Math.min(last, events.at(-1)?.revision ?? 0);
    const within = ({ revision }: SeenEvent) => revision > from && revision <= end;
    const text = (seen: readonly SeenEvent[]) =>
      seen
        .filter(within)
        .map(({ type, name, revision }) => `${type} ${name} ${revision}`)
        .join();
    if (events.some(({ revision }) => revision <= from) || text(events) !== text(all)) {
      this.problems.push(`a watch from ${from} was told otherwise than the first one`);
    }
  }

  #comparePaged({ revision, state }: Paged, events: readonly SeenEvent[]): void {
    const versions = versionsOf(this.#first.items);
    for (const event of events) {
      if (event.revision > revision) break;
      if (event.type === "DELETED") versions.delete(event.name);
      else versions.set(event.name, String(event.revision));
    }
    if (stateOf(versions) !== state) this.problems.push(`the pages of ${revision} are not whole`);
    this.#figures.lists++;
  }
}

function versionsOf(items: readonly Item[]): Map<string, string> {
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

function stateOf(versions: ReadonlyMap<string, string>): string {
  return [...versions]
    .map((entry) => entry.join("@"))
    .sort()
    .join();
}
