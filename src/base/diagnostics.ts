/**
 * The current state of the parts of a process, to find out why something is stuck: queues, waiting
 * pods, runs. Each part adds a source under a name. Sources are read only on request.
 */
import type { LogFields } from "./log.ts";

export type DiagnosticSource = () => Iterable<LogFields>;

export interface DiagnosticSection {
  readonly name: string;
  /** The number of all entries; `entries` may contain fewer. */
  readonly total: number;
  readonly entries: readonly LogFields[];
}

/** More entries would flood the log and rarely help. */
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

  /** Sections in order of name; those without entries are omitted. */
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
    // The other sections are still useful.
    return { name, total: total + 1, entries: [...entries, { error }] };
  }
  return { name, total, entries };
}
