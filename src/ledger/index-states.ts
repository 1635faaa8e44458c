/** Pure: the states of an index of a Job; docs/ledger.md explains them. */

export const STATES = [
  "Pending",
  "Running",
  "BackingOff",
  "Succeeded",
  "Failed",
  "NotRun",
] as const;

export type IndexState = (typeof STATES)[number];
