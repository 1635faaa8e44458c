/** Pure: what must hold unless the program has a bug. The world's failures are values instead. */

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Ends a switch: the compiler refuses the call while a variant is left. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
