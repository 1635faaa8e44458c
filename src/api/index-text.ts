/**
 * Pure: the text of a set of indexes, "1,3-5,7", assembled from pieces.
 *
 * A piece is the text of a span of indexes without the runs that touch its borders, because these
 * may continue in the neighbour. Pieces of unchanged spans are kept and joined again, so that after
 * the change of one index the set is not formatted as a whole.
 */

/** From `first` up to, but not including, `end`. */
export interface Run {
  readonly first: number;
  readonly end: number;
}

export interface Piece {
  /** The run at the start of the span; identical to the tail if the whole span is one run. */
  readonly head?: Run;
  /** The runs in between, each preceded by a comma. */
  readonly text: string;
  /** The run at the end of the span. */
  readonly tail?: Run;
}

export function fullPiece(span: Run): Piece {
  return { head: span, text: "", tail: span };
}

/** Formats the words from `at` on, for the length of the span, which is a whole number of words. */
export function pieceOf(words: Uint32Array, at: number, span: Run): Piece {
  const runs: Piece[] = [];
  let first = -1;
  for (let start = span.first; start < span.end; start += 32) {
    const word = words[at + (start - span.first) / 32] ?? 0;
    // Skip words in which no run starts or ends: a small Job uses one word of a thousand.
    if (word === (first < 0 ? 0 : ALL_ONES)) continue;
    for (let bit = 0; bit < 32; bit++) {
      const isIn = (word & (1 << bit)) !== 0;
      if (isIn === first >= 0) continue;
      if (!isIn) runs.push(fullPiece({ first, end: start + bit }));
      first = isIn ? start + bit : -1;
    }
  }
  if (first >= 0) runs.push(fullPiece({ first, end: span.end }));
  return runs.length === 0 ? NOTHING : joinPieces(runs, span);
}

const ALL_ONES = 0xffffffff;
const NOTHING: Piece = { text: "" };

/**
 * Joins pieces of consecutive spans within `span`. A missing piece means that no index is set
 * there.
 */
export function joinPieces(pieces: readonly Piece[], span: Run): Piece {
  const texts: string[] = [];
  let head: Run | undefined;
  let open: Run | undefined;
  const close = (): void => {
    if (open?.first === span.first) head = open;
    else if (open) texts.push(runText(open));
  };
  for (const piece of pieces) {
    if (piece.head) {
      const goesOn = open?.end === piece.head.first;
      if (!goesOn) close();
      open = goesOn && open ? { first: open.first, end: piece.head.end } : piece.head;
      if (piece.head === piece.tail) continue;
    }
    close();
    texts.push(piece.text);
    open = piece.tail;
  }
  const tail = open?.end === span.end ? open : undefined;
  if (!tail || tail.first === span.first) close();
  return { ...(head ? { head } : {}), text: texts.join(""), ...(tail ? { tail } : {}) };
}

/** The text of the whole set. Its span has no borders that a run could touch. */
export function textOf(pieces: readonly Piece[]): string {
  return joinPieces(pieces, { first: -1, end: Number.POSITIVE_INFINITY }).text.slice(1);
}

/** Three or more consecutive indexes form a range. */
function runText({ first, end }: Run): string {
  const length = end - first;
  if (length === 1) return `,${first}`;
  return length === 2 ? `,${first},${end - 1}` : `,${first}-${end - 1}`;
}
