/** Pure: an error in one line. */

/** A chain of causes that is longer is a loop. */
const LONGEST_CHAIN = 8;

/** "create pod: connect: connection refused": the message, then why, then why that. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  let cause = error;
  while (cause !== undefined && messages.length < LONGEST_CHAIN) {
    messages.push(cause instanceof Error ? cause.message || cause.name : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}
