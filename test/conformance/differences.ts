/** Recorded cases that Tally answers otherwise, each with the reason. */

interface Differences {
  readonly [suite: string]: { readonly [name: string]: string };
}

/** On purpose. docs/compatibility.md lists them for users. */
export const KEPT_DIFFERENCES: Differences = {};
