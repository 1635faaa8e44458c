/** What is fuzzed: something that reads bytes of strangers, and what may come of it. */

export interface FuzzedParser {
  /** The name of its folder in corpus/. */
  readonly name: string;
  /** Inputs it was made for; others are made out of them. */
  readonly seeds: readonly (string | Buffer)[];
  /**
   * Reads one input. The answer says what came of it, in a few words: inputs with a new outcome are
   * kept to go on from. Throws only for what must never happen, and what isRefusal allows.
   */
  readonly read: (input: Buffer) => string | Promise<string>;
}

/** Errors of the language, which nobody throws on purpose: they mean that a parser broke. */
const BROKEN: readonly string[] = [
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "AssertionError",
  "AssertionError [ERR_ASSERTION]",
];

/** A parser may complain, in words of its own. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && !BROKEN.includes(error.name);
}

/** The complaint of a parser as its outcome; what is broken stays an error. */
export function outcomeOf(parse: () => unknown): string {
  try {
    const value = parse();
    return value === undefined ? "undefined" : "read";
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}
