/** Pure: which values of a list were there before, found in one pass: lists may be long. */
export function repetitions(values: readonly string[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const found = new Set<number>();
  for (const [at, value] of values.entries()) {
    if (seen.has(value)) found.add(at);
    seen.add(value);
  }
  return found;
}
