/**
 * Pure: the query of a URL as Go reads it, which leaves out what it cannot read: a pair with a
 * malformed escape, and a pair with a semicolon, which used to separate pairs.
 */
export function parseQuery(text: string): URLSearchParams {
  if (!UNREADABLE.test(text)) return new URLSearchParams(text);
  const pairs = text.split("&").filter((pair) => !UNREADABLE.test(pair));
  return new URLSearchParams(pairs.join("&"));
}

const UNREADABLE = /;|%(?![0-9A-Fa-f]{2})/;
