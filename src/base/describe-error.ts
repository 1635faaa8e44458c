/** Pure: formats an error as one line. */

/** A longer chain of causes is assumed to be a loop. */
const LONGEST_CHAIN = 8;

/**
 * "create pod: connect: connection refused": the message, then its cause, then the cause of that.
 */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  let cause = error;
  while (cause !== undefined && messages.length < LONGEST_CHAIN) {
    messages.push(cause instanceof Error ? cause.message || cause.name : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}
