/**
 * What the parts of a process know at the moment, for somebody who wants to see why something does
 * not move: queues, pods that wait, runs. A part adds a source under a name. Sources are read only
 * when somebody asks.
 */
import type { LogFields } from "./log.ts";

export type DiagnosticSource = () => Iterable<LogFields>;

export interface DiagnosticSection {
  readonly name: string;
  /** How many entries there are, of which only some are listed. */
  readonly total: number;
  readonly entries: readonly LogFields[];
}

/** More than these would bury the log, and rarely say more. */
const MOST_ENTRIES = 200;

export class Diagnostics {
  readonly #sources = new Map<string, DiagnosticSource>();

  /** Replaces an earlier source of that name. Returns a function that removes it. */
  add(name: string, source: DiagnosticSource): () => void {
    this.#sources.set(name, source);
    return () => {
      if (this.#sources.get(name) === source) this.#sources.delete(name);
    };
  }

  /** By name; sections without entries are left out. */
  read(): readonly DiagnosticSection[] {
    const sources = [...this.#sources].sort(([one], [other]) => (one < other ? -1 : 1));
    return sources
      .map(([name, source]) => readSource(name, source))
      .filter(({ total }) => total > 0);
  }
}

function readSource(name: string, source: DiagnosticSource): DiagnosticSection {
  const entries: LogFields[] = [];
  let total = 0;
  try {
    for (const entry of source()) {
      total += 1;
      if (entries.length < MOST_ENTRIES) entries.push(entry);
    }
  } catch (error) {
    // The other sections are still worth reading.
    return { name, total: total + 1, entries: [...entries, { error }] };
  }
  return { name, total, entries };
}
