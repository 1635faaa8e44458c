/**
 * Pure: what ran when, slot by slot. A slot is one of the places that were busy at a time: an
 * attempt takes the lowest that is free when it begins. Of long runs what is next to each other is
 * drawn as one block.
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
  /** How many attempts it stands for. */
  readonly attempts: number;
}

export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  /** All there were; only the first of them are drawn where they are too many. */
  readonly slots: number;
  readonly drawnSlots: number;
  readonly blocks: readonly Block[];
  readonly attempts: number;
  /** Whether blocks stand for several attempts. */
  readonly isBinned: boolean;
}

const MOST_SLOTS = 64;
/** Above that a picture has more blocks than points. */
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

/** The lowest that is free; times may be known to the second only, so an end meets a start. */
function takeSlot(freeFrom: number[], { startMs, endMs }: Span): number | undefined {
  const free = freeFrom.findIndex((fromMs) => fromMs <= startMs);
  const slot = free < 0 ? freeFrom.length : free;
  if (slot >= MOST_SLOTS) return undefined;
  freeFrom[slot] = Math.max(endMs, startMs);
  return slot;
}

/** How many ran together; what took no time is there for that moment only. */
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

/** One block with what came before, unless they are apart, of another outcome or too long. */
function join(before: Block, span: Span, binMs: number): Block | undefined {
  const isNext = span.startMs - before.endMs < binMs;
  const isShort = before.endMs - before.startMs < binMs;
  if (!isNext || !isShort || before.hasFailed !== span.hasFailed) return undefined;
  const attempts = before.attempts + 1;
  return { ...before, endMs: Math.max(before.endMs, span.endMs), attempts, title: "" };
}
