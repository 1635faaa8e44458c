/** Pure: splits text that arrives in pieces into lines. */

/** No event is longer. A longer line means that the stream is not a watch. */
export const LONGEST_LINE = 16 * 1024 * 1024;

export class LineSplitter {
  #pieces: string[] = [];
  #length = 0;

  /** The lines that this piece completes. Blank lines are skipped. */
  take(piece: string): string[] {
    const end = piece.lastIndexOf("\n");
    if (end < 0) {
      this.#keep(piece);
      return [];
    }
    const complete = this.#pieces.join("") + piece.slice(0, end);
    this.#pieces = [];
    this.#length = 0;
    this.#keep(piece.slice(end + 1));
    return complete.split("\n").filter((line) => line.trim() !== "");
  }

  /** Whether an incomplete line is buffered. */
  get isWithinLine(): boolean {
    return this.#length > 0;
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > LONGEST_LINE) throw new Error(`a line of more than ${LONGEST_LINE} bytes`);
    if (piece !== "") this.#pieces.push(piece);
  }
}
