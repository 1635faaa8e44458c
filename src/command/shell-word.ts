/** Pure: quotes a word for a shell. */

/** In quotes only if it needs them. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
