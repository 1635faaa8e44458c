/**
 * Pure: a first-in, first-out queue in which each key occurs once. It is an array with a moving
 * head, because taking the first element of a large Map or Set scans all slots that were deleted
 * before it.
 */

export interface QueuedKey {
  readonly key: string;
  /** When the key was added. */
  readonly sinceMs: number;
}

/** With fewer removed keys than this, copying the remaining ones costs more than it frees. */
const MIN_COMPACTION = 1024;

export class KeyQueue {
  private readonly waiting = new Set<string>();
  private items: QueuedKey[] = [];
  private head = 0;

  has(key: string): boolean {
    return this.waiting.has(key);
  }

  /** The waiting keys, the next one first. */
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
