/**
 * Pure: makes text safe for a terminal: only line breaks and tabs have an effect. Other control
 * characters are shown as escapes, as kubectl does for those it escapes. The output of tasks is not
 * filtered: it is passed on unchanged.
 */
export function terminalText(text: string): string {
  return text.replace(CONTROLS, (character) => SHOWN.get(character) ?? escaped(character));
}

/** C0 except tab and line feed, DEL, C1, and marks that change the writing direction. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const SHOWN: ReadonlyMap<string, string> = new Map([
  ["\u001b", "^["],
  ["\r", "\\r"],
]);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
