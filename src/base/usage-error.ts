/** Pure: a command was called wrongly: the message says which flag, and what it takes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
