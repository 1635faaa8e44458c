/** Pure: splits the text of a label selector into words, keywords and symbols. */

export type Symbols = "!" | "!=" | "=" | "==" | "<" | ">" | "(" | ")" | ",";

export interface Token {
  readonly type: Symbols | "in" | "notin" | "word" | "end";
  readonly text: string;
}

/** Longest symbol first. A word is everything between symbols and white space. */
const TOKEN = /!=|==|[!=<>(),]|[^!=<>(), \t\r\n]+/g;

const KEYWORDS: ReadonlySet<string> = new Set([
  "!",
  "!=",
  "=",
  "==",
  "<",
  ">",
  "(",
  ")",
  ",",
  "in",
  "notin",
] satisfies Token["type"][]);

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [piece] of text.matchAll(TOKEN)) {
    tokens.push({ type: isKeyword(piece) ? piece : "word", text: piece });
  }
  return tokens;
}

function isKeyword(piece: string): piece is Exclude<Token["type"], "word" | "end"> {
  return KEYWORDS.has(piece);
}
