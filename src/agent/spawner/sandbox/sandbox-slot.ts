/** Pure: the names of slots that are in a sandbox: on record they are known by them. */

const MARK = "x";

export function sandboxSlot(generation: string, number: number): string {
  return `${generation}-${MARK}${number}`;
}

export function isSandboxSlot(name: string): boolean {
  return name.slice(name.lastIndexOf("-") + 1).startsWith(MARK);
}
