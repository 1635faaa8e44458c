/** Pure: a command was called incorrectly; the message names the flag and its valid values. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
