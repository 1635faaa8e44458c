/**
 * Pure: formats Warning headers within Kubernetes' limit of 4,096 characters in total. If it is
 * exceeded, each warning is truncated to 256 characters. Warnings with control characters are
 * omitted.
 */

const MAX_CHARACTERS = 4096;
const MAX_CHARACTERS_OF_ONE = 256;

export function composeWarningHeaders(texts: readonly string[]): readonly string[] {
  const warnings = [...new Set(texts)].filter((text) => text !== "");
  const excess = findExcess(warnings);
  if (excess === undefined) return warnings.filter(isPrintable).map(formatWarning);
  const taken: string[] = [];
  let length = 0;
  for (const [index, text] of warnings.entries()) {
    // The warning that exceeded the limit is still sent, as in Kubernetes.
    if (index > excess && length >= MAX_CHARACTERS) break;
    const cut = cutOff(text);
    if (!isPrintable(cut)) continue;
    taken.push(cut);
    length += countCharacters(cut);
  }
  return taken.map(formatWarning);
}

/** The index of the warning that exceeds the limit; undefined if all fit. */
function findExcess(warnings: readonly string[]): number | undefined {
  let length = 0;
  for (const [index, text] of warnings.entries()) {
    if (isPrintable(text)) length += countCharacters(text);
    if (length > MAX_CHARACTERS) return index;
  }
  return undefined;
}

/** A character may consist of two code units. */
function cutOff(text: string): string {
  return [...text.slice(0, 2 * MAX_CHARACTERS_OF_ONE)].slice(0, MAX_CHARACTERS_OF_ONE).join("");
}

function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function isPrintable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** RFC 7234: the text is a quoted string. Header values are bytes, which Node expects as latin1. */
function formatWarning(text: string): string {
  const quoted = text.replace(/[\\"]/g, "\\$&");
  return Buffer.from(`299 - "${quoted}"`, "utf8").toString("latin1");
}
