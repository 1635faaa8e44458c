/** A parser to fuzz: it reads untrusted bytes. Defines which outcomes are allowed. */

export interface FuzzedParser {
  /** The name of its folder in corpus/. */
  readonly name: string;
  /** Valid inputs; others are derived from them. */
  readonly seeds: readonly (string | Buffer)[];
  /**
   * Parses one input and returns the outcome in a few words: inputs with a new outcome are kept and
   * mutated further. Throws only for outcomes that must never happen, and errors that isRefusal
   * allows.
   */
  readonly read: (input: Buffer) => string | Promise<string>;
}

/** Errors of the language, which no code throws on purpose: they mean that the parser is broken. */
const BROKEN: readonly string[] = [
  "TypeError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "AssertionError",
  "AssertionError [ERR_ASSERTION]",
];

/** A parser may reject an input with its own error. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && !BROKEN.includes(error.name);
}

/** The error message of a parser as its outcome; errors of the language are thrown. */
export function outcomeOf(parse: () => unknown): string {
  try {
    const value = parse();
    return value === undefined ? "undefined" : "read";
  } catch (error) {
    if (isRefusal(error)) return error.message;
    throw error;
  }
}
