/**
 * Pure: the timeline of a run, slot by slot. An attempt takes the lowest slot that is free when it
 * starts. In long runs neighbouring attempts are drawn as one block.
 */

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
  readonly hasFailed: boolean;
  readonly title: string;
}

export interface Block {
  readonly slot: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly hasFailed: boolean;
  readonly title: string;
  /** The number of attempts in the block. */
  readonly attempts: number;
}

export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  /** All slots; only the first of them are drawn if there are too many. */
  readonly slots: number;
  readonly drawnSlots: number;
  readonly blocks: readonly Block[];
  readonly attempts: number;
  /** Whether a block may contain several attempts. */
  readonly isBinned: boolean;
}

const MOST_SLOTS = 64;
/** Above this number a picture would have more blocks than pixels. */
const MOST_BLOCKS = 6_000;
const BINS = 800;

export function composeTimeline(spans: readonly Span[]): Timeline {
  const sorted = [...spans].sort((one, other) => one.startMs - other.startMs);
  const startMs = sorted[0]?.startMs ?? 0;
  const endMs = sorted.reduce((latest, span) => Math.max(latest, span.endMs), startMs);
  const isBinned = sorted.length > MOST_BLOCKS;
  const binMs = isBinned ? Math.max(1, (endMs - startMs) / BINS) : 0;
  const freeFrom: number[] = [];
  const open = new Map<number, Block>();
  const blocks: Block[] = [];
  for (const span of sorted) {
    const slot = takeSlot(freeFrom, span);
    if (slot === undefined) continue;
    const before = open.get(slot);
    const joined = before && isBinned ? join(before, span, binMs) : undefined;
    if (before && !joined) blocks.push(before);
    open.set(slot, joined ?? { slot, attempts: 1, ...span });
  }
  blocks.push(...open.values());
  const drawnSlots = freeFrom.length;
  const slots = Math.max(drawnSlots, mostAtOnce(sorted));
  return { startMs, endMs, slots, drawnSlots, blocks, attempts: spans.length, isBinned };
}

/** The lowest free slot. Times may have a resolution of seconds: an end may equal a start. */
function takeSlot(freeFrom: number[], { startMs, endMs }: Span): number | undefined {
  const free = freeFrom.findIndex((fromMs) => fromMs <= startMs);
  const slot = free < 0 ? freeFrom.length : free;
  if (slot >= MOST_SLOTS) return undefined;
  freeFrom[slot] = Math.max(endMs, startMs);
  return slot;
}

/** The most attempts at one time. An attempt without duration counts for its moment only. */
function mostAtOnce(sorted: readonly Span[]): number {
  const lasting = sorted.filter(({ startMs, endMs }) => endMs > startMs);
  const ends = Float64Array.from(lasting, ({ endMs }) => endMs).sort();
  let [active, ended, most] = [0, 0, 0];
  for (const { startMs, endMs } of sorted) {
    for (; ended < ends.length && (ends[ended] ?? 0) <= startMs; ended++) active--;
    most = Math.max(most, active + 1);
    if (endMs > startMs) active++;
  }
  return most;
}

/** Joins an attempt to the block before it, if it is close, short and of the same outcome. */
function join(before: Block, span: Span, binMs: number): Block | undefined {
  const isNext = span.startMs - before.endMs < binMs;
  const isShort = before.endMs - before.startMs < binMs;
  if (!isNext || !isShort || before.hasFailed !== span.hasFailed) return undefined;
  const attempts = before.attempts + 1;
  return { ...before, endMs: Math.max(before.endMs, span.endMs), attempts, title: "" };
}
