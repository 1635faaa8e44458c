/** Pure: how a reconcile ends: done, or to be run again later. A thrown error means a retry. */

export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "after"; readonly delayMs: number };

export const done: Outcome = { kind: "done" };

export function after(delayMs: number): Outcome {
  return { kind: "after", delayMs };
}
