/** Pure: what is wrong with a schedule. The parser catches it: it never leaves this folder. */
export class Malformed extends Error {}
