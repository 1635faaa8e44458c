/**
 * Pure: warnings as headers, within the bounds of Kubernetes: 4,096 characters together. If there
 * are more, each warning is cut to 256 characters. One with control characters is left out.
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
    // The one that was too much has its place, as in Kubernetes.
    if (index > excess && length >= MAX_CHARACTERS) break;
    const cut = cutOff(text);
    if (!isPrintable(cut)) continue;
    taken.push(cut);
    length += countCharacters(cut);
  }
  return taken.map(formatWarning);
}

/** Which one is too much; undefined if all fit. */
function findExcess(warnings: readonly string[]): number | undefined {
  let length = 0;
  for (const [index, text] of warnings.entries()) {
    if (isPrintable(text)) length += countCharacters(text);
    if (length > MAX_CHARACTERS) return index;
  }
  return undefined;
}

/** A character may take two units of a string. */
function cutOff(text: string): string {
  return [...text.slice(0, 2 * MAX_CHARACTERS_OF_ONE)].slice(0, MAX_CHARACTERS_OF_ONE).join("");
}

function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function isPrintable(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** RFC 7234: the text is a quoted string. A header has bytes, which node takes as latin1. */
function formatWarning(text: string): string {
  const quoted = text.replace(/[\\"]/g, "\\$&");
  return Buffer.from(`299 - "${quoted}"`, "utf8").toString("latin1");
}
