/**
 * Pure: the one function that decides what text may do to a terminal: begin lines and columns, and
 * nothing else. What a terminal would obey is shown instead, as kubectl shows it if it does.
 * The output of tasks is not text of ours: it is passed on as it is.
 */
export function terminalText(text: string): string {
  return text.replace(CONTROLS, (character) => SHOWN.get(character) ?? escaped(character));
}

/** C0 but for tab and line feed, DEL, C1, and marks that turn the direction of writing around. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const SHOWN: ReadonlyMap<string, string> = new Map([
  ["\u001b", "^["],
  ["\r", "\\r"],
]);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
