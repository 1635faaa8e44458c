/**
 * Pure: parses a URL query like Go, which skips invalid pairs: those with a malformed escape, and
 * those with a semicolon, which used to separate pairs.
 */
export function parseQuery(text: string): URLSearchParams {
  if (!UNREADABLE.test(text)) return new URLSearchParams(text);
  const pairs = text.split("&").filter((pair) => !UNREADABLE.test(pair));
  return new URLSearchParams(pairs.join("&"));
}

const UNREADABLE = /;|%(?![0-9A-Fa-f]{2})/;
