/** Pure: what a reconcile says about its next run. A thrown error is the third answer: a retry. */

export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "after"; readonly delayMs: number };

export const done: Outcome = { kind: "done" };

export function after(delayMs: number): Outcome {
  return { kind: "after", delayMs };
}
