/**
 * Pure: keys in the order they came, each once. An array with a moving head: taking the first of a
 * large Map or Set would walk over all that were taken before.
 */

export interface QueuedKey {
  readonly key: string;
  /** When it came. */
  readonly sinceMs: number;
}

/** Below this many taken keys moving the rest costs more than it frees. */
const MIN_COMPACTION = 1024;

export class KeyQueue {
  private readonly waiting = new Set<string>();
  private items: QueuedKey[] = [];
  private head = 0;

  has(key: string): boolean {
    return this.waiting.has(key);
  }

  /** Those that wait, the next one first. */
  list(): readonly QueuedKey[] {
    return this.items.slice(this.head);
  }

  push(key: string, sinceMs: number): void {
    if (this.waiting.has(key)) return;
    this.waiting.add(key);
    this.items.push({ key, sinceMs });
  }

  shift(): QueuedKey | undefined {
    const first = this.items[this.head];
    if (!first) return undefined;
    this.head += 1;
    this.waiting.delete(first.key);
    if (this.head >= MIN_COMPACTION && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return first;
  }
}
