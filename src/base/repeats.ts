/** Pure: finds items that repeat an earlier one, in one pass. */

/** For each item, whether an earlier one has the same key. */
export function repeats<T>(items: readonly T[], keyOf: (item: T) => string): readonly boolean[] {
  const seen = new Set<string>();
  return items.map((item) => {
    const key = keyOf(item);
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}
