/**
 * Pure: references to variables in text, as third_party/forked/golang/expansion reads them.
 *
 * 1. "$(NAME)" is the value of NAME, or stays as it is when there is none.
 * 2. "$$" is "$", so that "$$(NAME)" is the text "$(NAME)".
 * 3. Any other "$", and one whose parenthesis is not closed, stands for itself.
 *
 * A value is put in as it is: what looks like a reference in it is none. What grows longer than any
 * process can be given grows no further: references after that stay as they are.
 */
import type { Variables } from "./variable.ts";

/** Linux gives a process less than this, and no text of it as much. */
const LONGEST_TEXT = 4 * 1024 * 1024;

export function expand(text: string, variables: Pick<Variables, "get">): string {
  let cursor = text.indexOf("$");
  if (cursor === -1) return text;
  const lastClose = text.lastIndexOf(")");
  let expanded = "";
  let copied = 0;
  while (cursor !== -1) {
    const name = cursor + 2;
    let next = name;
    const operand = text.charAt(cursor + 1);
    if (operand === "$") {
      expanded += `${text.slice(copied, cursor)}$`;
      copied = next;
    } else if (operand === "(" && name <= lastClose && expanded.length <= LONGEST_TEXT) {
      const close = text.indexOf(")", name);
      next = close + 1;
      const value = variables.get(text.slice(name, close)) ?? text.slice(cursor, next);
      expanded += text.slice(copied, cursor) + value;
      copied = next;
    }
    cursor = text.indexOf("$", next);
  }
  return expanded + text.slice(copied);
}

/** Word by word, as long as all of them together are no longer than any process can be given. */
export function expandAll(
  words: readonly string[],
  variables: Pick<Variables, "get">,
): readonly string[] {
  let length = 0;
  return words.map((word) => {
    const expanded = length > LONGEST_TEXT ? word : expand(word, variables);
    length += expanded.length;
    return expanded;
  });
}
