/**
 * Pure: the text of a set of indexes, "1,3-5,7", put together from pieces.
 *
 * A piece is the text of a span of indexes but for the runs that touch its borders: these may go on
 * in the neighbour. Pieces of spans that do not change are kept and joined anew, so that a set of
 * which one index changes is not written out as a whole.
 */

/** From the first up to, and without, the end. */
export interface Run {
  readonly first: number;
  readonly end: number;
}

export interface Piece {
  /** The run that begins with the span; the very same as the tail where the span is one run. */
  readonly head?: Run;
  /** The runs between, each after a comma. */
  readonly text: string;
  /** The run that ends with the span. */
  readonly tail?: Run;
}

export function fullPiece(span: Run): Piece {
  return { head: span, text: "", tail: span };
}

/** The bits of the words from there on, as far as the span goes: a whole number of words. */
export function pieceOf(words: Uint32Array, at: number, span: Run): Piece {
  const runs: Piece[] = [];
  let first = -1;
  for (let start = span.first; start < span.end; start += 32) {
    const word = words[at + (start - span.first) / 32] ?? 0;
    // A small Job fills one word of a thousand: no run begins or ends in the others.
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

/** Of spans that follow one another within this one. Where there is none nothing is set. */
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

/** Of all there is: no run touches a border that is nowhere. */
export function textOf(pieces: readonly Piece[]): string {
  return joinPieces(pieces, { first: -1, end: Number.POSITIVE_INFINITY }).text.slice(1);
}

/** Three or more in a row are a range. */
function runText({ first, end }: Run): string {
  const length = end - first;
  if (length === 1) return `,${first}`;
  return length === 2 ? `,${first},${end - 1}` : `,${first}-${end - 1}`;
}
