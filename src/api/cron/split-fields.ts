/** Pure: a text cut at white space, as Go's strings.Fields cuts it. */

/** Those that Go's unicode.IsSpace knows. */
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
/** A single blank is left alone: a text may have a million of them. */
const SPACES_TO_JOIN = new RegExp(`${SPACE}{2,}|(?! )${SPACE}`, "g");
const ANY_SPACE = new RegExp(SPACE);

export interface Fields {
  readonly count: number;
  /** At most as many as were asked for: a text may have a million. */
  readonly first: readonly string[];
}

export function splitFields(text: string, most: number): Fields {
  const first: string[] = [];
  let [count, from] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !isSpace(text.charCodeAt(at))) continue;
    if (at > from) {
      if (count < most) first.push(text.slice(from, at));
      count += 1;
    }
    from = at + 1;
  }
  return { count, first };
}

/** All fields, with one blank between them. */
export function joinFields(text: string): string {
  const joined = text.replace(SPACES_TO_JOIN, " ");
  return joined.slice(joined.startsWith(" ") ? 1 : 0, joined.endsWith(" ") ? -1 : undefined);
}

const LAST_ASCII = 0x7f;

function isSpace(code: number): boolean {
  if (code <= LAST_ASCII) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return ANY_SPACE.test(String.fromCharCode(code));
}
