/** Recorded cases that Tally answers differently, each with the reason. */

interface Differences {
  readonly [suite: string]: { readonly [name: string]: string };
}

/** Deliberate differences. docs/compatibility.md lists them for users. */
export const KEPT_DIFFERENCES: Differences = {};
