/** Pure: how an index of a Job can stand; docs/ledger.md says what each means. */

export const STATES = [
  "Pending",
  "Running",
  "BackingOff",
  "Succeeded",
  "Failed",
  "NotRun",
] as const;

export type IndexState = (typeof STATES)[number];
