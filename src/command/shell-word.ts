/** Pure: a text as a shell has to be given it. */

export function shellWord(text: string): string {
  const isPlain = /^[\w./@+,-]+$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
