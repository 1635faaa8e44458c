/** Pure: a text as one word of shell. */
export function quote(text: string): string {
  return `'${text.includes("'") ? text.replaceAll("'", "'\\''") : text}'`;
}
