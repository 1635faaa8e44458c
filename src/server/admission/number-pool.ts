/**
 * A pool of numbers that are allocated and returned: the last bits of addresses, and ports.
 *
 * The lower part of the range is reserved for requests for a particular number, as long as the
 * upper part lasts. A returned number is allocated again only after all others: a client that still
 * uses it gets no answer rather than one from another Service.
 */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
  /** How many numbers at the start are allocated automatically only if no other is free. */
  readonly reserved: number;
}

export interface NumberPool {
  has(number: number): boolean;
  isTaken(number: number): boolean;
  take(number: number): void;
  giveBack(number: number): void;
  /** A free number that is not in `except`, or undefined if there is none. */
  findFree(except: ReadonlySet<number>): number | undefined;
}

export function numberPool({ first, last, reserved }: NumberRange): NumberPool {
  const taken = new Set<number>();
  const start = Math.min(first + reserved, last);
  let cursor = start;
  const scan = (from: number, to: number, except: ReadonlySet<number>): number | undefined => {
    for (let number = from; number <= to; number++) {
      if (!taken.has(number) && !except.has(number)) return number;
    }
    return undefined;
  };
  return {
    has: (number) => number >= first && number <= last,
    isTaken: (number) => taken.has(number),
    take: (number) => void taken.add(number),
    giveBack: (number) => void taken.delete(number),
    findFree: (except) => {
      const found =
        scan(cursor, last, except) ??
        scan(start, cursor - 1, except) ??
        scan(first, start - 1, except);
      if (found !== undefined && found >= start) cursor = found === last ? start : found + 1;
      return found;
    },
  };
}
